import CleanPlate
import Foundation
import Glibc
import Hummingbird
import HummingbirdCore
import Logging

/// A process that does one session's work, so that a fault in it ends no other. It is started by the front, which alone can
/// reach it, and ends with it.
public enum SessionWorker {
  /// What the program is told, as its only argument, to be one.
  public static let option = "--session-worker"

  /// Serves until the front ends.
  public static func run() async -> Never {
    signal(SIGPIPE, SIG_IGN)
    // Nobody who prints something may come between what the front is told.
    let told = FileHandle(fileDescriptor: fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
    dup2(STDERR_FILENO, STDOUT_FILENO)
    guard let line = readLine(), let setup = try? JSONDecoder().decode(WorkerSetup.self, from: Data(line.utf8)) else {
      FileHandle.standardError.write(Data("error: \(option) is for the studio itself.\n".utf8))
      exit(64)
    }
    Lifeline(setup: setup).hold()
    do {
      try await serve(setup) { try? told.write(contentsOf: WorkerWord.ready.line()) }
    } catch {
      try? told.write(contentsOf: WorkerWord(refusal: error, beginning: setup.beginning).line())
    }
    exit(0)
  }

  private static func serve(_ setup: WorkerSetup, onReady: @Sendable @escaping () -> Void) async throws {
    let session = StudioSession(
      id: setup.id, folder: setup.folder, limits: setup.limits, threads: setup.threads,
      pool: WorkPool(threads: setup.threads))
    try await session.begin(setup.beginning, keepFolder: setup.keepFolder)
    let socket = try WorkerSocket(in: setup.folder, of: setup.id)
    var logger = Logger(label: "worker")
    logger.logLevel = .error
    let application = Application(
      router: router(session, keepFolder: setup.keepFolder),
      configuration: ApplicationConfiguration(address: .unixDomainSocket(path: socket.path)),
      onServerRunning: { _ in onReady() }, logger: logger)
    try await application.run()
  }

  /// The addresses of one session, as the page asks for them.
  static func router(_ session: StudioSession, keepFolder: FilePath) -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    router.add(middleware: RefusalWords())
    let one = router.group("api/sessions/:id")
    SessionRoutes(session: session, keepFolder: keepFolder).add(to: one)
    PlateRoutes(session: session).add(to: one)
    return router
  }
}

extension StudioSession {
  /// Takes what the session begins with.
  fileprivate func begin(_ beginning: WorkerSetup.Beginning, keepFolder: FilePath) async throws {
    switch beginning {
    case .empty: break
    case .burst(let paths): try await open(paths)
    case .kept: try open(keepFolder.appending(id.uuidString), try KeptSession.read(id, in: keepFolder))
    }
  }
}

extension WorkerWord {
  /// A burst was named on the command line, and its errors name options as they are typed there.
  fileprivate init(refusal error: any Error, beginning: WorkerSetup.Beginning) {
    let status = (error as? Refusal)?.status ?? .internalServerError
    if case .burst = beginning, let error = error as? any WordedError {
      let explanation = error.explanation { "--\($0)" }
      self = .refused(
        status: status.code, SessionState.Problem(problem: explanation.problem, advice: explanation.advice))
    } else {
      self = .refused(status: status.code, SessionState.Problem(error))
    }
  }
}
