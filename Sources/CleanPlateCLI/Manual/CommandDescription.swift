import ArgumentParser
import Foundation

/// A command as the argument parser describes it: the one source of help, manual pages and completions.
struct CommandDescription: Decodable {
  let commandName: String
  let abstract: String?
  let discussion: String?
  let shouldDisplay: Bool
  let defaultSubcommand: String?
  let subcommands: [CommandDescription]?
  let arguments: [ArgumentDescription]?

  /// Of a command and all below it.
  /// - Throws: `DecodingError` when the argument parser describes it in another form.
  init(of command: any ParsableCommand.Type) throws {
    struct Dump: Decodable { let command: CommandDescription }
    self = try JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8)).command
  }

  /// The commands below this one that help lists.
  var visibleSubcommands: [CommandDescription] {
    (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
  }

  /// The arguments that help lists.
  var visibleArguments: [ArgumentDescription] { (arguments ?? []).filter(\.shouldDisplay) }

  var options: [ArgumentDescription] { visibleArguments.filter { $0.kind != .positional } }
  var positionals: [ArgumentDescription] { visibleArguments.filter { $0.kind == .positional } }

  /// The discussion's paragraphs in front of its examples.
  var paragraphs: [String] {
    let text = discussion ?? ""
    return (text.range(of: "Examples:").map { String(text[..<$0.lowerBound]) } ?? text).components(separatedBy: "\n\n")
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
  }

  /// The indented lines behind `Examples:`.
  var examples: [String] {
    guard let text = discussion, let start = text.range(of: "Examples:\n") else { return [] }
    return text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("  ") }.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The same for what comes behind `Exit codes:`: a code and its meaning.
  var exitCodes: [(code: String, meaning: String)] {
    guard let text = discussion, let start = text.range(of: "Exit codes:\n") else { return [] }
    return text[start.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("  ") }.compactMap { line in
      let words = line.trimmingCharacters(in: .whitespaces).split(separator: " ", maxSplits: 1)
      return words.count == 2 ? (String(words[0]), words[1].trimmingCharacters(in: .whitespaces)) : nil
    }
  }
}

/// An argument, option or flag.
struct ArgumentDescription: Decodable {
  enum Kind: String, Decodable { case positional, option, flag }

  struct Name: Decodable {
    enum Kind: String, Decodable { case long, short, longWithSingleDash }
    let kind: Kind
    let name: String

    /// As it is typed.
    var text: String { kind == .long ? "--\(name)" : "-\(name)" }
  }

  let kind: Kind
  let shouldDisplay: Bool
  let isOptional: Bool
  let isRepeating: Bool
  let names: [Name]?
  let valueName: String?
  let defaultValue: String?
  let allValues: [String]?
  let abstract: String?
  private let completionKind: Completion?

  /// What may stand for its value.
  enum Values {
    case words([String])
    /// Of these suffixes; of any where there are none.
    case files([String])
    case folders
    case anything
  }

  /// Short names first.
  var typedNames: [String] {
    (names ?? []).sorted { ($0.kind == .long ? 1 : 0) < ($1.kind == .long ? 1 : 0) }.map(\.text)
  }

  var values: Values {
    if let allValues { return .words(allValues) }
    guard let completionKind else { return .anything }
    if let list = completionKind.list { return .words(list.values) }
    if let file = completionKind.file { return .files(file.extensions) }
    return completionKind.directory == nil ? .anything : .folders
  }

  private struct Completion: Decodable {
    struct List: Decodable { let values: [String] }
    struct File: Decodable { let extensions: [String] }
    struct Folder: Decodable {}
    let list: List?
    let file: File?
    let directory: Folder?
  }
}
