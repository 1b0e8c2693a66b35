import Codecs
import Frames
import Registration
public import SystemPackage

/// Whether pictures of which somebody wants one plate are several bursts.
///
/// Nothing is decoded unless their times say that there may be several, and then one picture of each: bursts of one scene
/// are one, however far they lie apart.
/// - Parameters:
///   - pictures: files of a folder.
///   - search: how bursts are told from each other.
///   - leftOut: pictures that did not fit to the others when a plate was made of them; nil before that.
/// - Returns: the bursts; nil for one, and where that may be.
/// - Throws: `AllocationError`, `CancellationError`.
public func severalBursts(
  among pictures: [FilePath], search: BurstSearch, leftOut: Set<FilePath>? = nil
) async throws -> [PictureGroup]? {
  guard pictures.count >= 2 * search.atLeast else { return nil }
  if let leftOut, leftOut.count < search.atLeast { return nil }
  let card = try await Card(pictures, search)
  if leftOut == nil, try await !card.showsSeveralScenes(search) { return nil }
  let bursts = try await card.groups(search) { _, _ in }.bursts
  // A burst that was left out as a whole is one that should have been made by itself.
  if let leftOut, !bursts.contains(where: { leftOut.isSuperset(of: $0.shots.map { $0[0] }) }) { return nil }
  return bursts.count > 1 ? bursts : nil
}

extension Card {
  /// Whether stretches that may be bursts, told by time, show different things.
  fileprivate func showsSeveralScenes(_ search: BurstSearch) async throws -> Bool {
    let middles = timelines.flatMap { line in
      line.stretches(gap: search.gap).filter { $0.count >= search.atLeast }.map {
        line.shots[$0.lowerBound + $0.count / 2]
      }
    }
    guard middles.count > 1 else { return false }
    return try await !Sights(threads: search.threads, acceptsDamaged: search.acceptsDamaged) { _ in }.areOneScene(
      middles)
  }
}
