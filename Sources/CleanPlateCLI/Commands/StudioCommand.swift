import ArgumentParser
import CleanPlate
import Codecs
import Foundation

struct StudioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio",
    abstract: "Open a page in the browser: capture, watch it become clean, put it right.",
    discussion: """
      The page is served on this machine alone, or with --lan to phones in the same network, over TLS, and only to whoever \
      has the code that the terminal shows. All work is done here; nothing is sent anywhere else. Ctrl-C ends it.

      It is a program of its own, cleanplate-studio, which Scripts/studio builds.

      Examples:
        cleanplate studio --open
        cleanplate studio photos/ --port 0
        cleanplate studio --lan
      """)

  @Argument(help: "A burst to begin with: pictures of one scene, a folder of them, or a video.", completion: .file())
  var burst: [String] = []

  @Option(help: ArgumentHelp("The port of the page; 0 takes any that is free.", valueName: "n"))
  var port = 8080

  @Flag(help: "Open the page in a browser.")
  var open = false

  @Flag(help: "Serve the local network, too.")
  var lan = false

  @Option(
    help: ArgumentHelp(
      "Where sessions are kept when the page asks for it (default: sessions/ beside the detector).", valueName: "folder"
    ),
    completion: .directory)
  var keep: String?

  @Option(help: ArgumentHelp("Tasks that work at once (default: one per core).", valueName: "n"))
  var threads: Int?

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port takes a number from 0 to 65535, not \(port).")
    }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes a number from 1 to 1024, not \(threads).")
    }
  }

  private var words: [String] {
    var words = ["--port", "\(port)"]
    if open { words.append("--open") }
    if lan { words.append("--lan") }
    if let keep { words += ["--keep", keep] }
    if let threads { words += ["--threads", "\(threads)"] }
    // Names may begin with a hyphen.
    return words + (burst.isEmpty ? [] : ["--"] + burst)
  }

  /// Becomes the studio's program.
  func run() throws {
    guard let program = StudioPlace.program else {
      Console().error(
        "The studio is not built: there is no \(StudioPlace.name) in "
          + StudioPlace.folders.map(\.text).joined(separator: ", ")
          + ". Run Scripts/studio in the folder of cleanplate's sources, which builds and starts it.")
      throw ExitCode.unavailable
    }
    // Names need not be UTF-8.
    let arguments = ([program.text] + words).map { word in (word.nameBytes + [0]).withUnsafeBytes { strdup($0.bound) } }
    _ = program.withPlatformString { execv($0, arguments + [nil]) }
    let reason = String(cString: strerror(errno))
    Console().error("'\(program.text)' cannot be started (\(reason)). Run Scripts/studio to build it anew.")
    throw ExitCode.unavailable
  }
}

/// Where the studio's program lies.
enum StudioPlace {
  static let name = "cleanplate-studio"

  /// Beside this program, and where the sources' second package builds it.
  static var folders: [FilePath] {
    guard let own = programFolder else { return [] }
    // .build/CONFIGURATION/cleanplate lies in the folder of the sources, perhaps under a triple.
    let sources = [own, own.removingLastComponent(), own.removingLastComponent().removingLastComponent()]
      .map { $0.removingLastComponent() }.first { isFolder($0.appending("Studio")) }
    return [own] + (sources.map { [$0.appending("Studio/.build/release")] } ?? [])
  }

  static var program: FilePath? {
    folders.map { $0.appending(name) }.first { path in path.withPlatformString { access($0, X_OK) } == 0 }
  }

  private static func isFolder(_ path: FilePath) -> Bool { (try? FileKind(path)) == .folder }
}

extension UnsafeRawBufferPointer {
  /// As a string that ends with 0.
  fileprivate var bound: UnsafePointer<CChar> { bindMemory(to: CChar.self).baseAddress! }
}
