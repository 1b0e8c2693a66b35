extension CompletedCommands {
  /// For zsh, as a function in `fpath` or to be evaluated.
  var zsh: String {
    let described = commands.map { shellQuoted("\($0.commandName):\(escaped($0.abstract ?? ""))") }
    let cases = commands.map { command in
      let specifications = options(of: command).flatMap(zshOption) + zshPositionals(command)
      return "    \(command.commandName))\n      _arguments -s -S \\\n"
        + specifications.map { "        \($0)" }.joined(separator: " \\\n") + " && found=0\n      ;;"
    }
    return """
      #compdef \(name)
      # Completions of \(name) for zsh.
      _\(name)() {
        local command=\(standard) found=1
        local -a commands=(
          \((described + [shellQuoted("help:Show what a command does.")]).joined(separator: "\n    "))
        )
        if ((CURRENT > 2)); then
          case $words[2] in
          help) _describe -t commands command commands && return ;;
          \(commands.map(\.commandName).joined(separator: " | ")))
            command=$words[2]
            shift words
            ((CURRENT--))
            ;;
          esac
        elif [[ $words[2] != -* ]]; then
          _describe -t commands command commands && found=0
        fi
        case $command in
      \(cases.joined(separator: "\n"))
        esac
        return found
      }

      if [[ ${funcstack[1]} == _\(name) ]]; then _\(name) "$@"; else compdef _\(name) \(name); fi

      """
  }

  private func zshOption(_ option: ArgumentDescription) -> [String] {
    let names = option.typedNames
    let value =
      option.kind == .flag ? "" : ":\(escaped(option.valueName ?? "value")):\(zshAction(option.values))"
    // One of several names excludes the others.
    let group = option.isRepeating ? "*" : "(\(names.joined(separator: " ")))"
    return names.map { name in
      let separator = option.kind == .flag ? "" : name.hasPrefix("--") ? "=" : "+"
      return shellQuoted("\(group)\(name)\(separator)[\(escaped(option.abstract ?? ""))]\(value)")
    }
  }

  private func zshPositionals(_ command: CommandDescription) -> [String] {
    command.positionals.enumerated().map { index, argument in
      let place = argument.isRepeating ? "*" : "\(index + 1)"
      return shellQuoted("\(place):\(escaped(argument.valueName ?? "")):\(zshAction(argument.values))")
    }
  }

  private func zshAction(_ values: ArgumentDescription.Values) -> String {
    switch values {
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files(let suffixes) where suffixes.isEmpty: "_files"
    case .files(let suffixes): "_files -g \"*.(\(suffixes.joined(separator: "|")))\""
    case .folders: "_files -/"
    case .anything: " "
    }
  }

  /// `_arguments` parts its descriptions by colons and brackets.
  private func escaped(_ text: String) -> String {
    text.map { ":[]\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
