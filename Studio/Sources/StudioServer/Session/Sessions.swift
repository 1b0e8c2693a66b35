import CleanPlate
import Foundation
import Synchronization

/// The sessions that are open.
public final class Sessions: Sendable {
  private let list = Mutex<[UUID: StudioSession]>([:])
  let limits: Limits
  let threads: Int
  let pool: WorkPool
  /// Where frames that are sent lie while their session is open.
  let workFolder: FilePath
  /// Where sessions are kept.
  let keepFolder: FilePath

  /// - Parameters:
  ///   - work: where frames that are sent lie while their session is open.
  ///   - keep: where sessions are kept when somebody asks for it; made when it is needed.
  ///   - threads: tasks that work at once.
  ///   - limits: what clients may ask for.
  public init(work: FilePath, keep: FilePath, threads: Int, limits: Limits = Limits()) {
    (workFolder, keepFolder, self.threads, self.limits) = (work, keep, threads, limits)
    pool = WorkPool(threads: threads)
    removeAbandonedTemporaries(in: work)
  }

  /// A new, empty session.
  func make(id: UUID = UUID()) throws -> StudioSession {
    try list.withLock { list in
      guard list.count < limits.sessions else {
        throw Refusal(.tooManyRequests, "\(limits.sessions) sessions are open.", "Close one of them.")
      }
      let session = try StudioSession(in: workFolder, limits: limits, threads: threads, pool: pool, id: id)
      list[id] = session
      return session
    }
  }

  /// Opens a burst that lies in files.
  /// - Returns: the session's name in addresses.
  @discardableResult
  public func open(_ paths: [FilePath]) async throws -> UUID {
    let files = try BurstFiles(paths: paths)
    let choice = FrameChoice(every: nil, maximum: 20)
    let session = try make()
    do {
      for path in files.pictures {
        if isVideo(path) {
          try await session.take(framesOf: try videoInputs(path, choice: choice))
        } else if files.pictures.count == 1, let series = try seriesInputs(path, choice: choice) {
          try await session.take(framesOf: series)
        } else {
          await session.take([Member(path: path)])
        }
      }
    } catch {
      await close(session.id)
      throw error
    }
    return session.id
  }

  /// Opens a session that was kept, or gives it back where it is open.
  func reopen(_ id: UUID) async throws -> StudioSession {
    if let session = self[id] { return session }
    let kept: KeptSession
    do {
      kept = try KeptSession.read(id, in: keepFolder)
    } catch {
      throw Refusal(.notFound, "No session of this name is kept.", "Choose one of the list.")
    }
    let session = try make(id: id)
    do {
      try await session.open(keepFolder.appending(id.uuidString), kept)
    } catch {
      await close(id)
      throw error
    }
    return session
  }

  subscript(id: UUID) -> StudioSession? { list.withLock { $0[id] } }

  var all: [StudioSession] { list.withLock { Array($0.values) } }

  func close(_ id: UUID) async {
    let session = list.withLock { $0.removeValue(forKey: id) }
    await session?.close()
  }

  /// Removes all that was sent, from wherever the program ends.
  public func removeFiles() { removeOwnTemporaries(in: workFolder) }
}
