import CleanPlate

/// A page for `man`, in roff's `man` macros.
struct ManualPage {
  private let command: CommandDescription
  /// The whole name, such as `cleanplate rank`.
  private let name: String
  private let root: CommandDescription

  /// The pages of a program: its own and one for each command.
  static func all(of root: CommandDescription) -> [ManualPage] {
    [ManualPage(command: root, name: root.commandName, root: root)]
      + root.visibleSubcommands.map {
        ManualPage(command: $0, name: "\(root.commandName) \($0.commandName)", root: root)
      }
  }

  /// The file, in section 1.
  var fileName: String { "\(page(name)).1" }

  private var isRoot: Bool { name == root.commandName }

  var text: String {
    var lines = [#".TH "\#(page(name).uppercased())" "1" "" "\#(root.commandName) \#(programVersion)" "User Commands""#]
    let abstract = (command.abstract ?? "").trimmingSuffix(".")
    lines += [".SH NAME", "\(escaped(page(name))) \\- \(escaped(abstract))"]
    lines += [".SH SYNOPSIS"] + synopsis
    lines +=
      [".SH DESCRIPTION", escaped("\(abstract).")]
      + command.paragraphs.filter { !$0.hasPrefix("Exit codes:") }
      .flatMap { [".PP", escaped($0)] }
    if isRoot {
      lines += [".SH COMMANDS"]
      for command in root.visibleSubcommands {
        let reference = #"\fB\#(escaped(page("\(name) \(command.commandName)")))\fR(1)"#
        lines += [".TP", reference, escaped(command.abstract ?? "")]
      }
    }
    if !command.visibleArguments.isEmpty {
      lines += [".SH OPTIONS"] + (command.positionals + command.options).flatMap(entry)
    }
    if !command.examples.isEmpty { lines += [".SH EXAMPLES", ".nf"] + command.examples.map(escaped) + [".fi"] }
    lines += [".SH EXIT STATUS"]
    for (code, meaning) in root.exitCodes { lines += [".TP", bold(code), escaped(meaning)] }
    lines += [".SH FILES"]
    for (file, meaning) in Self.files { lines += [".TP", italic(file), escaped(meaning)] }
    lines += [".SH ENVIRONMENT"]
    for (variable, meaning) in Self.environment { lines += [".TP", bold(variable), escaped(meaning)] }
    let others = Self.all(of: root).filter { $0.name != name }.map { #"\fB\#(escaped(page($0.name)))\fR(1)"# }
    lines += [".SH SEE ALSO", others.joined(separator: ",\n")]
    return lines.joined(separator: "\n") + "\n"
  }

  private static let files = [
    ("$XDG_DATA_HOME/cleanplate/yolov3-tiny.weights", "The detector that fetch-detector brings."),
    ("/usr/share/cleanplate/yolov3-tiny.weights", "The detector that the package brings."),
  ]

  private static let environment = [
    ("XDG_DATA_HOME, XDG_DATA_DIRS", "Where the detector is looked for, in a folder named cleanplate."),
    ("TMPDIR", "Where decoded frames wait that --memory leaves no room for; /var/tmp where it is not set."),
  ]

  private var synopsis: [String] {
    guard !isRoot else {
      return [
        "\(bold(name)) \(italic("burst")) ... \(bold("-o")) \(italic("plate")) [\(italic("options"))]", ".br",
        "\(bold(name)) \(italic("command")) ...",
      ]
    }
    var words = [bold(name)]
    for argument in command.positionals {
      words.append(italic(argument.valueName ?? "") + (argument.isRepeating ? " ..." : ""))
    }
    for argument in command.options where !argument.isOptional && argument.kind == .option {
      words.append("\(bold(argument.typedNames.first ?? "")) \(italic(argument.valueName ?? ""))")
    }
    return ["\(words.joined(separator: " ")) [\(italic("options"))]"]
  }

  private func entry(_ argument: ArgumentDescription) -> [String] {
    let value = argument.valueName.map(italic) ?? ""
    let head =
      switch argument.kind {
      case .positional: value
      case .option: argument.typedNames.map(bold).joined(separator: ", ") + " " + value
      case .flag: argument.typedNames.map(bold).joined(separator: ", ")
      }
    var text = argument.abstract ?? ""
    if let values = argument.allValues, !values.isEmpty { text += " One of \(values.joined(separator: ", "))." }
    if let standard = argument.defaultValue, argument.kind == .option { text += " Default: \(standard)." }
    return [".TP", head, escaped(text.trimmingPrefix(" "))]
  }

  private func page(_ name: String) -> String { name.map { $0 == " " ? "-" : String($0) }.joined() }
  private func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
  private func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// Hyphens as they are typed, and no line that roff would take for a request.
  private func escaped(_ text: some StringProtocol) -> String {
    let plain = text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "\n": " "
      default: String(character)
      }
    }.joined()
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
