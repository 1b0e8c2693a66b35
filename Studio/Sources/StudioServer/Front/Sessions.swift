import CleanPlate
import Foundation
import HTTPTypes
import Synchronization

/// The sessions that are open, each in a process of its own.
public final class Sessions: Sendable {
  private struct State {
    var open: [UUID: Worker] = [:]
    /// Sessions that broke off, the newest last, and whether they are kept: who asks for one again is told.
    var broken: [(id: UUID, isKept: Bool)] = []
    /// Whether the program is about to end.
    var isOver = false
  }

  /// Sessions that broke off and are remembered.
  private static let mostBroken = 100

  private let state = Mutex(State())
  let limits: Limits
  let threads: Int
  /// What does a session's work.
  private let program: FilePath
  /// Where frames that are sent lie while their session is open.
  let workFolder: FilePath
  /// Where sessions are kept.
  let keepFolder: FilePath
  private let onBreak: @Sendable (String) -> Void

  /// - Parameters:
  ///   - work: where frames that are sent lie while their session is open.
  ///   - keep: where sessions are kept when somebody asks for it; made when it is needed.
  ///   - threads: tasks of one session that work at once.
  ///   - limits: what clients may ask for.
  ///   - program: the studio's own, which does a session's work when it is told `SessionWorker.option`; by default the one that
  ///     is running.
  ///   - onBreak: is told how the process of a session ended that should not have ended.
  public init(
    work: FilePath, keep: FilePath, threads: Int, limits: Limits = Limits(), program: FilePath = "/proc/self/exe",
    onBreak: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (workFolder, keepFolder, self.threads, self.limits) = (work, keep, threads, limits)
    (self.program, self.onBreak) = (program, onBreak)
    removeAbandonedTemporaries(in: work)
  }

  /// A new session, or the one of this name, when it answers.
  func make(id: UUID = UUID(), _ beginning: WorkerSetup.Beginning = .empty) async throws -> Worker {
    let worker = try state.withLock { state in
      if let open = state.open[id] { return open }
      guard state.open.count < limits.sessions, !state.isOver else {
        throw Refusal(.tooManyRequests, "\(limits.sessions) sessions are open.", "Close one of them.")
      }
      let worker = try start(id, beginning)
      state.open[id] = worker
      state.broken.removeAll { $0.id == id }
      return worker
    }
    do {
      try await worker.begun()
    } catch {
      await close(worker)
      throw error
    }
    return worker
  }

  private func start(_ id: UUID, _ beginning: WorkerSetup.Beginning) throws -> Worker {
    try Worker(id, program: program, in: workFolder) { folder in
      WorkerSetup(
        id: id, folder: folder, keepFolder: keepFolder, threads: threads, limits: limits, beginning: beginning)
    } onEnd: { [weak self] in
      self?.ended(id, $0)
    }
  }

  /// Opens a burst that lies in files.
  /// - Returns: the session's name in addresses.
  /// - Throws: a `WordedError`, with options named as on the command line.
  @discardableResult
  public func open(_ paths: [FilePath]) async throws -> UUID {
    do {
      return try await make(.burst(paths)).id
    } catch let refusal as Refusal {
      throw BurstRefusal(explanation: Explanation(refusal.problem, refusal.advice))
    }
  }

  /// Opens a session that was kept, or gives it back where it is open.
  func reopen(_ id: UUID) async throws -> Worker {
    guard isOpen(id) || isKept(id) else {
      throw Refusal(.notFound, "No session of this name is kept.", "Choose one of the list.")
    }
    return try await make(id: id, .kept)
  }

  /// The process of a session that is open.
  /// - Throws: `Refusal` when it is not.
  func worker(_ id: UUID) throws -> Worker {
    try state.withLock { state in
      guard let worker = state.open[id] else { throw Self.end(of: id, state).refusal }
      return worker
    }
  }

  private func isOpen(_ id: UUID) -> Bool { state.withLock { $0.open[id] != nil } }

  private func isKept(_ id: UUID) -> Bool { (try? KeptSession.read(id, in: keepFolder)) != nil }

  private static func end(of id: UUID, _ state: State) -> SessionEnd {
    state.broken.first { $0.id == id }.map { .brokeOff(isKept: $0.isKept) } ?? .closed
  }

  /// How the session ended whose process does not answer any more; nil when it goes on all the same.
  func end(of worker: Worker) async -> SessionEnd? {
    // Its sockets close a moment before it has ended.
    for _ in 0..<300 {
      let end: SessionEnd? = state.withLock { state in
        state.open[worker.id] === worker ? nil : Self.end(of: worker.id, state)
      }
      if let end { return end }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return nil
  }

  var all: [Worker] { state.withLock { Array($0.open.values) } }

  func close(_ id: UUID) async {
    if let worker = state.withLock({ $0.open[id] }) { await close(worker) }
  }

  /// Gives the session's place back, and ends it.
  private func close(_ worker: Worker) async {
    state.withLock { state in
      if state.open[worker.id] === worker { state.open[worker.id] = nil }
    }
    await worker.end()
  }

  /// Ends all sessions and removes all that was sent, before the program ends.
  public func end() async {
    let all = state.withLock { state in
      state.isOver = true
      defer { state.open = [:] }
      return Array(state.open.values)
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in all { group.addTask { await worker.end() } }
    }
  }

  private func ended(_ id: UUID, _ ending: Worker.Ending) {
    // What it was writing there when it was killed.
    for folder in [keepFolder, keepFolder.appending(id.uuidString)] { removeAbandonedTemporaries(in: folder) }
    let isKept = isKept(id)
    let isBroken = state.withLock { state in
      guard let worker = state.open[id], worker.folder == ending.folder else { return false }
      state.open[id] = nil
      // Who waits for it to begin is told there.
      guard ending.hasBegun else { return false }
      state.broken.append((id, isKept))
      state.broken.removeFirst(max(state.broken.count - Self.mostBroken, 0))
      return true
    }
    if isBroken { onBreak(ending.words) }
  }
}

/// Why a burst cannot be opened, as its session's process told it.
struct BurstRefusal: WordedError {
  let explanation: Explanation

  func explanation(naming option: (String) -> String) -> Explanation { explanation }
}
