import ArgumentParser

/// The shells for which completions are written. The argument parser's own scripts know nothing of a default command.
enum CompletionTarget: String, CaseIterable {
  case bash, zsh, fish

  /// The shell that `--generate-completion-script`, as first argument, asks for; the user's own where it names none.
  /// - Throws: `ValidationError` when there is none of that name.
  static func requested(by words: [String], shell: String?) throws -> CompletionTarget? {
    let option = "--generate-completion-script"
    guard let first = words.first, first == option || first.hasPrefix(option + "=") else { return nil }
    let name =
      first == option
      ? words.dropFirst().first ?? shell?.split(separator: "/").last.map(String.init) ?? ""
      : String(first.dropFirst(option.count + 1))
    guard let target = CompletionTarget(rawValue: name) else {
      throw ValidationError("\(option) takes \(allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'.")
    }
    return target
  }

  func script(of root: CommandDescription) -> String {
    let commands = CompletedCommands(root)
    return switch self {
    case .bash: commands.bash
    case .zsh: commands.zsh
    case .fish: commands.fish
    }
  }
}

/// A program's commands as completion scripts see them: what is typed without one belongs to the default command.
struct CompletedCommands {
  let name: String
  let commands: [CommandDescription]
  let standard: String
  /// Options of the program itself.
  let rootOptions: [ArgumentDescription]

  init(_ root: CommandDescription) {
    name = root.commandName
    commands = root.visibleSubcommands
    standard = root.defaultSubcommand ?? ""
    rootOptions = root.options
  }

  /// A command's options and, for the default command, those that the program alone has.
  func options(of command: CommandDescription) -> [ArgumentDescription] {
    guard command.commandName == standard else { return command.options }
    let own = Set(command.options.flatMap(\.typedNames))
    return command.options + rootOptions.filter { own.isDisjoint(with: $0.typedNames) }
  }
}

/// A word for a POSIX shell, quoted.
func shellQuoted(_ text: String) -> String {
  "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
}
