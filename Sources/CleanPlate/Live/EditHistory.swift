import Frames
import Selection

/// Contests with edits as they came, of which some are kept, so that few edits are decided again when one is added, taken
/// back or put back.
struct EditHistory: Sendable {
  /// The oldest first, the current one last; never empty.
  private var kept: [EditedContest]

  /// Each takes about as much memory as half a frame.
  private static let latest = 4
  /// Of the edits before those, what was decided after every so many is kept.
  private static let step = 4
  private static let earlier = 6

  init(_ first: EditedContest) { kept = [first] }

  /// The contest as it stands, with its edits.
  var current: EditedContest { kept[kept.count - 1] }

  /// The numbers of edits after which the contest is kept, the current one last.
  var keptCounts: [Int] { kept.map(\.edits.count) }

  /// The same with other edits, which begin with as many as possible that are decided already.
  /// - Parameter threads: tasks that work at once; what is decided does not depend on it.
  /// - Throws: `EditError`, `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  func with(_ wanted: [Edit], threads: Int) async throws -> EditHistory {
    let nearest = kept.filter { wanted.starts(with: $0.edits) }.max { $0.edits.count < $1.edits.count }
    var edited = nearest ?? EditedContest(current.contest)
    var history = self
    history.keep(edited, towards: wanted)
    for edit in wanted.dropFirst(edited.edits.count) {
      edited = try await edited.adding(edit, threads: threads)
      history.keep(edited, towards: wanted)
    }
    return history
  }

  private mutating func keep(_ contest: EditedContest, towards wanted: [Edit]) {
    kept = kept.filter { $0.edits != contest.edits } + [contest]
    let old = kept.dropLast(Self.latest)
    let passed = old.filter { $0.edits.count % Self.step == 0 && wanted.starts(with: $0.edits) }
    kept = passed.suffix(Self.earlier) + kept.suffix(Self.latest)
  }
}
