import FileBuilding
import Foundation
import Testing

@testable import CleanPlateCLI

/// Manual pages and completions say what the parser knows.
struct ManualTests {
  let folder: TemporaryFolder
  let root: CommandDescription

  init() throws {
    folder = try TemporaryFolder()
    root = try CommandDescription(of: Cleanplate.self)
  }

  @Test func everyCommandHasAPageOfItsOptions() throws {
    let outcome = try Program.run(["write-manual", "man"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let commands = ["plate", "bursts", "batch", "rank", "align", "compare", "studio", "fetch-detector"]
    #expect(Set(commands).isSubset(of: root.visibleSubcommands.map(\.commandName)))
    let pages = root.visibleSubcommands.map { "cleanplate-\($0.commandName).1" } + ["cleanplate.1"]
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path("man"))) == Set(pages))
    for command in root.visibleSubcommands {
      let page = try page("man/cleanplate-\(command.commandName).1")
      #expect(!command.examples.isEmpty, "\(command.commandName)")
      for name in command.options.flatMap(\.typedNames) {
        #expect(page.contains(name), "\(command.commandName) \(name)")
      }
      for example in command.examples { #expect(page.contains(example), "\(example)") }
      for code in ["64", "65", "66", "69", "70", "73", "74", "128+n"] { #expect(page.contains("\\fB\(code)\\fR")) }
    }
  }

  private func page(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8).replacingOccurrences(of: "\\-", with: "-")
  }

  @Test(.enabled(if: Shell.has("man"), "needs man-db")) func manHasNothingToSayAgainstThem() throws {
    _ = try Program.run(["write-manual", "man"], in: folder.url)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("man")) {
      let text = try Shell.run(
        "MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l \(folder.path("man/\(name)")) 2>&1 | col -b")
      #expect(text.contains("EXIT STATUS") && !text.contains("warning"), "\(name)")
    }
  }

  /// What is typed, and some of what the shell offers for its last word.
  static let typed: [(words: [String], offered: [String])] = [
    (["meta", "--comb"], ["--combine"]), (["meta", "--combine", "me"], ["median", "mean"]),
    (["--combine", "mo"], ["mode"]), (["ra"], ["rank"]), (["rank", "--la"], ["--laplacian"]),
    (["compare", "--tol"], ["--tolerance"]), (["align", "x", "--form"], ["--format"]),
    (["align", "--format", "t"], ["tiff"]), (["fetch-detector", "--fr"], ["--from"]), (["help", "al"], ["align"]),
  ]

  @Test(arguments: typed) func bashCompletes(_ typed: (words: [String], offered: [String])) throws {
    try folder.write(Array(CompletionTarget.bash.script(of: root).utf8), as: "completion")
    let words = (["cleanplate"] + typed.words).map(shellQuoted).joined(separator: " ")
    let text = try Shell.run(
      "bash -c '. ./completion; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _cleanplate; "
        + "echo ${COMPREPLY[*]}' completion \(words)", in: folder)
    #expect(text.split(whereSeparator: \.isWhitespace).map(String.init) == typed.offered.sorted(by: orderOfHelp))
  }

  /// Of options and values, which stand in the order of the help.
  private func orderOfHelp(_ a: String, _ b: String) -> Bool { a == "median" && b == "mean" }

  /// A word in another place, and names with blanks.
  @Test func bashCompletesFiles() throws {
    try folder.write(Array(CompletionTarget.bash.script(of: root).utf8), as: "completion")
    for name in ["a report.json", "a picture.jpg"] { try folder.write([1], as: name) }
    func offered(_ words: String) throws -> [String] {
      try Shell.run(
        "bash -c '. ./completion; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _cleanplate; "
          + "printf \"%s\\n\" \"${COMPREPLY[@]}\"' completion cleanplate \(words)", in: folder
      ).split(separator: "\n").map(String.init).sorted()
    }
    #expect(try offered("meta --alignment a") == ["a report.json"])
    #expect(try offered("a") == ["a picture.jpg", "a report.json", "align"])
    #expect(try offered("rank -- a") == ["a picture.jpg", "a report.json"])
    #expect(try offered("meta --combine = mo") == ["mode"])
  }

  @Test(.enabled(if: Shell.has("fish"), "needs fish"), arguments: typed)
  func fishCompletes(_ typed: (words: [String], offered: [String])) throws {
    try folder.write(Array(CompletionTarget.fish.script(of: root).utf8), as: "completion")
    let line = (["cleanplate"] + typed.words).joined(separator: " ")
    let text = try Shell.run("fish -c \"source ./completion; complete -C '\(line)'\"", in: folder)
    let offered = text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    #expect(Set(typed.offered).isSubset(of: offered), "\(text)")
  }

  /// Types into a zsh that runs in a terminal of its own, and the next line when it has answered.
  @Test(.enabled(if: Shell.has("zsh"), "needs zsh")) func zshCompletes() throws {
    try folder.write(Array(CompletionTarget.zsh.script(of: root).utf8), as: "completion")
    let script = """
      zmodload zsh/zpty
      zpty z 'TERM=dumb zsh -f -i'
      zpty -w z "autoload -Uz compinit; compinit -u -D; source ./completion; print re''ady"
      zpty -r z piece '*ready*'
      for line answer in 'meta --comb' 'meta --combine=' 'ra' 'rank' 'rank --lap' 'rank --laplacian='; do
        zpty -w -n z "cleanplate $line"$'\\t'
        zpty -r z piece "*cleanplate $answer*" && print -r -- "$answer"
        zpty -w -n z $'\\x15'
      done
      """
    try folder.write(Array(script.utf8), as: "type.zsh")
    let text = try Shell.run("timeout 100 zsh -f type.zsh", in: folder)
    #expect(text == "meta --combine=\nrank\nrank --laplacian=\n")
  }

  @Test func aShellThatIsNotKnownIsRefused() throws {
    let outcome = try Program.run(["--generate-completion-script", "tcsh"], in: folder.url)
    #expect(outcome.status == 64 && outcome.errors.contains("bash, zsh, fish"), "\(outcome.errors)")
    let own = try Program.run(["--generate-completion-script"], in: folder.url, environment: ["SHELL": "/usr/bin/fish"])
    #expect(own.status == 0 && own.output.contains("complete -c cleanplate"), "\(own.errors)")
  }
}

/// Programs of the system.
enum Shell {
  static func has(_ program: String) -> Bool {
    (try? run("command -v \(program)"))?.isEmpty == false
  }

  static func run(_ line: String, in folder: TemporaryFolder? = nil) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", line]
    if let folder { process.currentDirectoryURL = folder.url }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }
}

extension TemporaryFolder {
  /// Writes a shell script that can be started. By the shell: what this process writes, programs that other tests start may
  /// still hold open, and a file that is being written does not start.
  func writeProgram(_ line: String, as name: String) throws {
    try write(Array("#!/bin/sh\n\(line)\n".utf8), as: "\(name).text")
    _ = try Shell.run("cp '\(name).text' '\(name)' && chmod 755 '\(name)'", in: self)
  }
}
