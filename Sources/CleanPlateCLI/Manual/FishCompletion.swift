extension CompletedCommands {
  /// For fish.
  var fish: String {
    var lines = [
      "# Completions of \(name) for fish.",
      "function __\(name)_command",
      "  set -l words (commandline -opc)",
      "  switch \"$words[2]\"",
      "    case \(commands.map(\.commandName).joined(separator: " ")) help",
      "      echo $words[2]",
      "    case '*'",
      "      echo \(standard)",
      "  end",
      "end",
      "",
    ]
    let first = "-n 'test (count (commandline -opc)) -eq 1'"
    for command in commands {
      lines.append("complete -c \(name) \(first) -a \(command.commandName) -d \(quoted(command.abstract ?? ""))")
    }
    lines.append("complete -c \(name) \(first) -a help -d 'Show what a command does.'")
    let names = commands.map(\.commandName).joined(separator: " ")
    lines.append("complete -c \(name) -n 'test (__\(name)_command) = help' -f -a \(quoted(names))")
    for command in commands {
      for option in options(of: command) {
        let typed = option.typedNames.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst(1))" }
        lines.append(
          (["complete -c \(name) -n 'test (__\(name)_command) = \(command.commandName)'"] + typed
            + [option.kind == .flag ? "" : fishValues(option.values), "-d \(quoted(option.abstract ?? ""))"])
            .filter { !$0.isEmpty }.joined(separator: " "))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func fishValues(_ values: ArgumentDescription.Values) -> String {
    switch values {
    case .words(let words): "-x -a \(quoted(words.joined(separator: " ")))"
    case .files(let suffixes) where suffixes.isEmpty: "-r -F"
    case .files(let suffixes): "-x -a \"(\(suffixes.map { "__fish_complete_suffix .\($0)" }.joined(separator: "; ")))\""
    case .folders: "-x -a '(__fish_complete_directories)'"
    case .anything: "-x"
    }
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
