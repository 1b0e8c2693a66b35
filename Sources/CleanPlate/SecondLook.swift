import Frames
import Registration
import Stacking

/// Places those frames again of which a crowd hides so much, in them or in the reference, that it could have led them away.
///
/// The median of the frames that most of the reference agrees with shows fewer people than any of them, from where the
/// reference was taken. Frames that are placed on it show more of themselves there, and make the next median better: so
/// pictures of many subjects are registered to their own average (Joshi et al., "Unbiased diffeomorphic atlas construction
/// for computational anatomy", NeuroImage 2004).
struct SecondLook: Sendable {
  let registrar: Registrar
  let target: Target
  let options: Options
  let burst: Burst
  /// The frames that could be read, in the order in which they were taken; positions count these.
  let indices: [BurstIndex]

  /// Medians that are made at most.
  private static let rounds = 3
  /// Frames beside the reference of which a median is made: the better half, but so many, so that no frame has much to say
  /// in a picture on which it is placed itself; more would hardly show less of people.
  private static let (fewest, most) = (4, 8)
  /// Frames beside the reference and the one that is placed of which a median is made where there are not so many.
  private static let fewestOthers = 2
  /// What less than this share of the picture agrees with is unsure where there are so few.
  private static let hardlyAny = 0.3
  /// Of two shares of a picture that agree, one below this much of the other is less.
  private static let clearlyLess = 0.9

  /// Looks again at frames of which too little agrees, and tells of those that remain unsure.
  /// - Parameters:
  ///   - placed: all, by position.
  ///   - outcomes: what became of each entry of the burst; changed where the second look says something else.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  func run(_ placed: [PlacedFrame], _ outcomes: inout [FrameOutcome<RegisteredFrame>]) async throws {
    var thin = placed.indices.filter { placed[$0].isThin }
    var supports = placed.map(\.support)
    var unsure: Set<Int> = []
    for _ in 0..<Self.rounds where !thin.isEmpty {
      let asked = thin
      let answers = try await look(at: asked, placed, supports, outcomes)
      for (position, answer) in zip(asked, answers) {
        if let support = answer.support { supports[position] = support }
        if let outcome = answer.outcome { outcomes[indices[position].rawValue] = outcome }
        if answer.isSure { unsure.remove(position) } else { unsure.insert(position) }
      }
      thin = zip(asked, answers).filter(\.1.isThin).map(\.0)
      if thin.count == asked.count { break }
    }
    for position in unsure {
      let index = indices[position].rawValue
      outcomes[index] = outcomes[index].map(\.unsure)
    }
  }

  /// What a second look says of each of some frames.
  private func look(
    at asked: [Int], _ placed: [PlacedFrame], _ supports: [Double], _ outcomes: [FrameOutcome<RegisteredFrame>]
  ) async throws -> [Answer] {
    @Sendable func settled(_ position: Int) -> FrameOutcome<RegisteredFrame> { outcomes[indices[position].rawValue] }
    if let consensus = try await consensus(placed, supports, outcomes) {
      return try await mapIndices(count: asked.count, threads: options.threads) { k in
        try look(at: asked[k], on: consensus, placed[asked[k]], settled(asked[k])) { first, second in
          // Where fewer people stand, more agrees with what is right, and less with what people lead astray.
          !second.isDoubtful || second.support > Self.clearlyLess * first.support
        }
      }
    }
    // A frame would have too much to say in a median of so few.
    var answers: [Answer] = []
    for position in asked {
      let consensus = try await consensus(placed, supports, outcomes, without: position)
      let answer = try consensus.map { consensus in
        try look(at: position, on: consensus, placed[position], settled(position)) { _, second in
          second.support >= Self.hardlyAny
        }
      }
      answers.append(answer ?? Answer(isThin: true, isSure: placed[position].support >= Self.hardlyAny))
    }
    return answers
  }

  /// What the frames show that are surest of where they lie, as the reference would have seen it.
  /// - Parameter left: a frame that is to have no say; nil for none.
  /// - Returns: nil where there are too few.
  private func consensus(
    _ placed: [PlacedFrame], _ supports: [Double], _ outcomes: [FrameOutcome<RegisteredFrame>], without left: Int? = nil
  ) async throws -> PreparedReference? {
    let sorted = placed.indices
      .filter { !placed[$0].isReference && $0 != left && outcomes[indices[$0].rawValue].isAccepted }
      .sorted { (supports[$0], $1) > (supports[$1], $0) }
    guard sorted.count >= (left == nil ? Self.fewest : Self.fewestOthers) else { return nil }
    let best = sorted.prefix(min(max(sorted.count / 2, Self.fewest), Self.most))
    let sure = placed.indices.filter { placed[$0].isReference || best.contains($0) }
    let reference = target.reference
    let request = StackRequest(
      frames: sure.compactMap { outcomes[indices[$0].rawValue].value }, grids: reference.plateGrids,
      crop: reference.size.bounds, combine: .median, threads: options.threads)
    let picture = Frame(
      planes: try await stack(request), grids: reference.plateGrids, encoding: reference.encoding,
      name: reference.name, metadata: reference.metadata)
    return try registrar.prepare(registrar.describe(picture), threads: options.threads)
  }

  private struct Answer {
    /// How much supports the motion; nil where that was not found out.
    var support: Double?
    /// What becomes of the frame; nil where nothing changes.
    var outcome: FrameOutcome<RegisteredFrame>?
    /// Whether the frame is to be asked about again.
    var isThin: Bool
    /// Whether it can be relied on that the frame lies as is said, or has been said before.
    var isSure: Bool
  }

  /// - Parameter isSure: whether what both looks, or the second, say can be relied on, by how the two placed the frame.
  private func look(
    at position: Int, on consensus: PreparedReference, _ first: PlacedFrame, _ settled: FrameOutcome<RegisteredFrame>,
    _ isSure: (PlacedFrame, PlacedFrame) -> Bool
  ) throws -> Answer {
    guard let content = burst[indices[position]].outcome.value else { return Answer(isThin: false, isSure: false) }
    let second = try registrar.place(content.description, planes: target.reference.planes.count, on: consensus)
    let isSure = isSure(first, second)
    switch registrar.opinion(of: second, on: first, settled: settled.lying, size: target.reference.size) {
    case .silent: return Answer(isThin: true, isSure: false)
    case .confirms: return Answer(support: second.support, isThin: second.isThin, isSure: isSure)
    case .corrects(let outcome):
      let matched = try target.match(content.frame, indices[position], outcome)
      return Answer(support: second.support, outcome: matched, isThin: second.isThin, isSure: isSure)
    }
  }
}

extension RegisteredFrame {
  /// The same, told to be unsure.
  fileprivate var unsure: RegisteredFrame {
    var alignment = alignment
    alignment.isUnsure = true
    return RegisteredFrame(index: index, frame: frame, alignment: alignment)
  }
}
