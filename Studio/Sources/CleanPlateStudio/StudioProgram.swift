import ArgumentParser
import CleanPlate
import Foundation
import StudioServer

@main
enum Main {
  static func main() async {
    if CommandLine.arguments.dropFirst().elementsEqual([SessionWorker.option]) { await SessionWorker.run() }
    await StudioProgram.main()
  }
}

struct StudioProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cleanplate-studio", abstract: "The page of cleanplate in a browser.", version: programVersion)

  @Argument(help: "A burst to begin with: pictures, folders, or a video.")
  var burst: [String] = []

  @Option(help: "The port; 0 takes any that is free.")
  var port = 8080

  @Flag(help: "Open the page in a browser.")
  var open = false

  @Flag(help: "Serve the local network, over TLS, to whoever has the code that the terminal shows.")
  var lan = false

  @Option(help: ArgumentHelp("Where sessions are kept.", valueName: "folder"))
  var keep: String?

  @Option(help: ArgumentHelp("Tasks that work at once.", valueName: "n"))
  var threads = ProcessInfo.processInfo.activeProcessorCount

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port takes a number from 0 to 65535.") }
    guard (1...1024).contains(threads) else { throw ValidationError("--threads takes a number from 1 to 1024.") }
  }

  func run() async throws {
    let temporary = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
    let sessions = Sessions(
      work: FilePath(temporary), keep: keep.map { FilePath($0) } ?? DetectorOption.folder.appending("sessions"),
      threads: threads
    ) { ending in
      print("The work of one session broke off (\(ending)). The others go on.")
      fflush(nil)
    }
    let signals = endOnSignals(sessions)
    defer { for signal in signals { signal.cancel() } }
    var first: UUID?
    if !burst.isEmpty {
      do {
        first = try await sessions.open(burst.map { FilePath($0) })
      } catch let error as any WordedError {
        await sessions.end()
        end("error: \(error.explanation { "--\($0)" }.text.readableName)", 66)
      }
    }
    let opens = open
    let path = first.map { "session=\($0.uuidString)" }
    let studio = Studio(sessions, at: Studio.Place(port: port, isLocalNetwork: lan)) { notice in
      show(notice, opens: opens, session: path)
    }
    do {
      try await studio.run()
    } catch {
      await sessions.end()
      end("error: the page cannot be served (\(error)). Choose another --port, or 0 for any.", 69)
    }
  }
}

/// Ends the program, all sessions and all that was sent, at the first signal.
private func endOnSignals(_ sessions: Sessions) -> [any DispatchSourceSignal] {
  signal(SIGPIPE, SIG_IGN)
  return [SIGINT, SIGTERM, SIGHUP].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      // Ctrl-C is how it ends.
      let code = number == SIGINT ? 0 : 128 + number
      Task {
        await sessions.end()
        _exit(code)
      }
      // A process that the kernel cannot end yet is not waited for: it ends by itself when this one has.
      DispatchQueue.global().asyncAfter(deadline: .now() + 10) { _exit(code) }
    }
    source.resume()
    return source
  }
}

private func end(_ message: String, _ code: Int32) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(code)
}

/// Tells the terminal.
private func show(_ notice: Studio.Notice, opens: Bool, session: String?) {
  switch notice {
  case .running(let address, let network, let fingerprint):
    let page = session.map { address + (address.contains("#") ? "&" : "#") + $0 } ?? address
    print("The studio is at \(page)")
    if let fingerprint { print("Its certificate has the SHA-256 \(fingerprint)") }
    showNetwork(network)
    print("Ctrl-C ends it, and all sessions that are not kept.")
    if opens { openBrowser(page) }
  case .nextCode(let network):
    print("Somebody came in. For the next browser:")
    showNetwork(network)
  }
  fflush(nil)
}

private func showNetwork(_ addresses: [String]) {
  for address in addresses { print("On the network: \(address)") }
  guard let first = addresses.first, isatty(STDOUT_FILENO) == 1 else { return }
  // The plain address stands above where this is not installed.
  run(["qrencode", "-t", "ANSIUTF8", "-m", "2", first])
}

private func openBrowser(_ address: String) {
  if !run(["xdg-open", address]) {
    print("No browser could be opened (xdg-open is missing). Open the address yourself.")
  }
}

/// - Returns: whether the program is there.
@discardableResult
private func run(_ words: [String]) -> Bool {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  process.standardError = FileHandle.nullDevice
  do {
    try process.run()
  } catch {
    return false
  }
  process.waitUntilExit()
  return process.terminationStatus == 0
}
