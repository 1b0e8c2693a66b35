import Frames
import Registration
import Stacking

/// Places those frames again of which a crowd hides so much, in them or in the reference, that it could have led them away.
///
/// Where a detector tells who stands in the reference, the first look is at the rest of it. People who stay and sway before a sky
/// have more corners than all that stands still, and agree with each other: it may be too little to place the frame by, but then
/// nothing is known of where it lies, and that is told.
///
/// The median of the frames that most of the reference agrees with shows fewer people than any of them, from where the
/// reference was taken. Frames that are placed on it show more of themselves there, and make the next median better: so
/// pictures of many subjects are registered to their own average (Joshi et al., "Unbiased diffeomorphic atlas construction
/// for computational anatomy", NeuroImage 2004).
struct SecondLook: Sendable {
  let registrar: Registrar
  let target: Target
  /// The reference as the frames were placed on it.
  let prepared: PreparedReference
  let options: Options
  let burst: Burst
  /// The frames that could be read, in the order in which they were taken; positions count these.
  let indices: [BurstIndex]
  /// Finds who may move in a frame; nil where nobody can.
  let movers: MoverSearch?

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
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`; what `movers` throws.
  func run(_ placed: [PlacedFrame], _ outcomes: inout [FrameOutcome<RegisteredFrame>]) async throws {
    var known = Known(
      people: try await people(placed), thin: placed.indices.filter { placed[$0].isThin },
      supports: placed.map(\.support), unsure: [], outcomes: outcomes)
    if !known.thin.isEmpty, let reference = try reference(without: known.people) {
      let answers = try await look(at: known.thin, on: reference, isTrusted: true, placed, known)
      take(answers, into: &known)
    }
    for _ in 0..<Self.rounds where !known.thin.isEmpty {
      let asked = known.thin.count
      take(try await look(at: known.thin, placed, known), into: &known)
      if known.thin.count == asked { break }
    }
    outcomes = known.outcomes
    try await keepStill(placed, beside: known.people, &outcomes)
    for position in known.unsure {
      let index = indices[position].rawValue
      outcomes[index] = outcomes[index].map(\.unsure)
    }
  }

  /// What is known of the frames so far.
  private struct Known {
    /// Regions of the reference in which somebody has been found.
    let people: [Region]
    /// Positions of the frames that are to be asked about.
    var thin: [Int]
    /// By position, how much supports the motion.
    var supports: [Double]
    /// Positions of the frames that nothing can be relied on of.
    var unsure: Set<Int>
    /// By entry of the burst.
    var outcomes: [FrameOutcome<RegisteredFrame>]
  }

  /// - Parameter answers: one for each that was asked about.
  private func take(_ answers: [Answer], into known: inout Known) {
    let asked = known.thin
    for (position, answer) in zip(asked, answers) {
      if let support = answer.support { known.supports[position] = support }
      if let outcome = answer.outcome { known.outcomes[indices[position].rawValue] = outcome }
      if answer.isSure { known.unsure.remove(position) } else { known.unsure.insert(position) }
    }
    known.thin = zip(asked, answers).filter(\.1.isThin).map(\.0)
  }

  /// Who stands in the reference, as far as it matters: anywhere where little agrees with a frame, else where something moves.
  private func people(_ placed: [PlacedFrame]) async throws -> [Region] {
    guard let movers else { return [] }
    if placed.contains(where: \.isThin) { return try await movers(target.reference, nil) }
    let places = placed.flatMap(\.movingCorners)
    return places.isEmpty ? [] : try await movers(target.reference, places)
  }

  /// The reference, of which nothing counts that may move by itself: what is left either confirms how a frame lies, or it may
  /// have followed people.
  /// - Returns: nil where nobody is found.
  private func reference(without people: [Region]) throws -> PreparedReference? {
    guard !people.isEmpty, let description = burst[target.index].outcome.value?.description else { return nil }
    return try registrar.prepare(description.without(people), threads: options.threads)
  }

  /// Frames that lie where they were settled first, without people who stay in them and move a little.
  private func keepStill(
    _ placed: [PlacedFrame], beside people: [Region], _ outcomes: inout [FrameOutcome<RegisteredFrame>]
  ) async throws {
    let settled = outcomes
    let still = try await mapIndices(count: placed.count, threads: options.threads) { position in
      let index = indices[position]
      let lying = settled[index.rawValue].lying
      guard lying.value?.homography == placed[position].settled.value?.homography,
        let content = burst[index].outcome.value,
        let outcome = registrar.keepStill(content.description, placed[position], on: prepared, beside: people)
      else { return nil as FrameOutcome<RegisteredFrame>? }
      return try target.match(content.frame, index, outcome)
    }
    for (position, outcome) in zip(placed.indices, still) {
      if let outcome { outcomes[indices[position].rawValue] = outcome }
    }
  }

  /// What a second look says of each of some frames.
  private func look(at asked: [Int], _ placed: [PlacedFrame], _ known: Known) async throws -> [Answer] {
    if let consensus = try await consensus(placed, known) {
      return try await look(at: asked, on: consensus.picture, isTrusted: consensus.isTrusted, placed, known)
    }
    // A frame would have too much to say in a median of so few.
    var answers: [Answer] = []
    for position in asked {
      let consensus = try await consensus(placed, known, without: position)
      let answer = try consensus.map { consensus in
        try look(at: position, on: consensus.picture, placed[position], known) { _, second in
          consensus.isTrusted && second.support >= Self.hardlyAny
        }
      }
      answers.append(answer ?? Answer(isThin: true, isSure: placed[position].support >= Self.hardlyAny))
    }
    return answers
  }

  /// The same on one picture.
  /// - Parameter isTrusted: whether the picture itself can be relied on.
  private func look(
    at asked: [Int], on picture: PreparedReference, isTrusted: Bool, _ placed: [PlacedFrame], _ known: Known
  ) async throws -> [Answer] {
    try await mapIndices(count: asked.count, threads: options.threads) { k in
      try look(at: asked[k], on: picture, placed[asked[k]], known) { first, second in
        // Where fewer people stand, more agrees with what is right, and less with what people lead astray.
        isTrusted && (!second.isDoubtful || second.support > Self.clearlyLess * first.support)
      }
    }
  }

  /// What the frames show that are surest of where they lie, as the reference would have seen it, without what may move by
  /// itself; and whether that can be relied on, since it is known of half of them where they lie.
  /// - Parameter left: a frame that is to have no say; nil for none.
  /// - Returns: nil where there are too few.
  private func consensus(
    _ placed: [PlacedFrame], _ known: Known, without left: Int? = nil
  ) async throws -> (picture: PreparedReference, isTrusted: Bool)? {
    let sorted = placed.indices
      .filter { !placed[$0].isReference && $0 != left && known.outcomes[indices[$0].rawValue].isAccepted }
      .sorted { (known.supports[$0], $1) > (known.supports[$1], $0) }
    guard sorted.count >= (left == nil ? Self.fewest : Self.fewestOthers) else { return nil }
    let best = sorted.prefix(min(max(sorted.count / 2, Self.fewest), Self.most))
    let sure = placed.indices.filter { placed[$0].isReference || best.contains($0) }
    let reference = target.reference
    let request = StackRequest(
      frames: sure.compactMap { known.outcomes[indices[$0].rawValue].value }, grids: reference.plateGrids,
      crop: reference.size.bounds, combine: .median, threads: options.threads)
    let picture = Frame(
      planes: try await stack(request), grids: reference.plateGrids, encoding: reference.encoding,
      name: reference.name, metadata: reference.metadata)
    let boxes = try await movers?(picture, nil) ?? []
    return (
      try registrar.prepare(registrar.describe(picture).without(boxes), threads: options.threads),
      2 * best.count { !known.unsure.contains($0) } >= best.count
    )
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
    at position: Int, on consensus: PreparedReference, _ first: PlacedFrame, _ known: Known,
    _ isSure: (PlacedFrame, PlacedFrame) -> Bool
  ) throws -> Answer {
    let settled = known.outcomes[indices[position].rawValue]
    guard let content = burst[indices[position]].outcome.value else { return Answer(isThin: false, isSure: false) }
    let second = try registrar.place(
      content.description, planes: target.reference.planes.count, on: consensus, beside: known.people)
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

/// Finds people and what else moves by itself in a frame, around some of its pixels, or anywhere: boxes in its pixels.
typealias MoverSearch = @Sendable (_ frame: Frame, _ places: [Point]?) async throws -> [Region]

extension RegisteredFrame {
  /// The same, told to be unsure.
  fileprivate var unsure: RegisteredFrame {
    var alignment = alignment
    alignment.isUnsure = true
    return RegisteredFrame(index: index, frame: frame, alignment: alignment)
  }
}
