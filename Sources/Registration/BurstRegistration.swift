package import Frames
package import ShimSupport

// The steps by which the frames of a burst are registered: `place` for each as soon as it and the reference are there;
// `settle` for those that are in doubt when all are placed; `opinion` for those that were placed once more, on a picture that
// shows more of what people hide in the reference.
extension Registrar {
  /// Places a frame on the reference, by what the two show alone.
  /// - Parameters:
  ///   - planes: how many planes the frame has, for the result.
  ///   - known: how it may lie, where that has been found out already.
  /// - Throws: `ShimError` when memory runs out.
  package func place(
    _ frame: FrameDescription, planes: Int, on reference: PreparedReference, among known: CoarseMotions? = nil
  ) throws(ShimError) -> PlacedFrame {
    if model == .none { return unmoved(frame, planes: planes, on: reference) }
    let outcome = try search(frame, reference).best(among: known)
    let motion = try? outcome.result.get()
    return PlacedFrame(
      outcome: self.outcome(of: outcome.result, planes: planes), candidates: outcome.candidates,
      isDoubtful: outcome.isDoubtful, support: motion?.support ?? 0, moving: motion?.moving)
  }

  /// Places a frame on the reference without those who stay in it and move a little, as `keepStill` does.
  /// - Parameters:
  ///   - planes: how many planes the frame has, for the result.
  ///   - people: regions of the reference in which somebody has been found.
  /// - Throws: `ShimError` when memory runs out.
  package func place(
    _ frame: FrameDescription, planes: Int, on reference: PreparedReference, beside people: [Region]
  ) throws(ShimError) -> PlacedFrame {
    let placed = try place(frame, planes: planes, on: reference)
    guard let still = keepStill(frame, placed, on: reference, beside: people) else { return placed }
    return PlacedFrame(
      outcome: still, candidates: placed.candidates, isDoubtful: placed.isDoubtful, support: placed.support)
  }

  /// Frames that are asked about one in doubt.
  private static let neighbours = 3
  /// Two motions are the same when they put the corners this close, as a share of the width.
  private static let agreement = 0.01

  /// What becomes of a frame whose motion is in doubt, because something large moves or windows repeat: frames that are
  /// not in doubt are asked. Its motion to them, followed by theirs to the reference, must be its motion to the reference.
  /// - Parameters:
  ///   - index: which of `frames` it is.
  ///   - placed: all of the burst's, in the order of `frames`.
  /// - Returns: the same with what they say of it.
  /// - Throws: `ShimError` when memory runs out.
  package func settle(
    _ index: Int, among placed: [PlacedFrame], of frames: [FrameDescription], on reference: PreparedReference
  ) throws(ShimError) -> PlacedFrame {
    let frame = frames[index]
    let current = placed[index].outcome
    // The reference itself has been asked already. Frames in doubt themselves are better than nobody.
    let others = placed.indices
      .filter { $0 != index && placed[$0].outcome.isAccepted && !placed[$0].isReference }
      .sorted { (abs($0 - index), $0) < (abs($1 - index), $1) }
    let trusted = others.filter { !placed[$0].isDoubtful }
    // By each neighbour, the ways that lead over it to the reference.
    var ways: [[Homography]] = []
    for neighbour in (trusted.isEmpty ? others : trusted).prefix(Self.neighbours) {
      guard let onward = placed[neighbour].outcome.value?.homography else { continue }
      let search = coarseSearch(of: frame, on: frames[neighbour])
      guard case .success(let motions) = try search.motions() else { continue }
      ways.append(motions.prefix(3).compactMap { onward * search.fullSize($0.map) })
    }
    let width = Double(reference.description.size.width)
    func votes(_ map: Homography) -> Int {
      ways.count { $0.contains { $0.cornerDistance(to: map, size: frame.size) < Self.agreement * width } }
    }
    let known = current.value.map { votes($0.homography) } ?? -1
    // Where the picture repeats itself, one neighbour is as likely a whole period off as the frame: two must agree, and
    // know their own places.
    let repeats = reference.repetition.isFound
    let needed = repeats ? (trusted.isEmpty ? .max : 2) : 1
    // What neighbours say first is tried, too: they may see more of the frame than the reference does.
    let rivals = (placed[index].candidates.dropFirst() + ways.compactMap(\.first))
      .filter { limits.rejection(of: $0, frame: frame.size, reference: reference.description.size) == nil }
      .map { (map: $0, votes: votes($0)) }
      .filter { $0.votes > max(known, 0) && $0.votes >= needed }
      .sorted { $0.votes > $1.votes }
    for rival in rivals.prefix(2) {
      let search = search(frame, reference)
      let result = try search.refine(search.coarseSearch.proxy(rival.map))
      // Neighbours may have followed the same people.
      guard case .success(let motion) = result, try !QuietRival(search: search, loud: []).exists(beside: motion.map)
      else { continue }
      return placed[index].settling(outcome(of: result, planes: placed[index].planes), moving: motion.moving)
    }
    if let alignment = current.value, known == 0, ways.count >= 2, !rivals.isEmpty {
      let distance = rivals[0].map.cornerDistance(to: alignment.homography, size: frame.size)
      return placed[index].settling(current.rejected(.inconsistent(pixels: distance)), moving: nil)
    }
    return placed[index]
  }

  /// Two looks say the same when they are this close, in pixels.
  private static let confirmation = 0.5
  /// A motion that has rivals is better than another when it has this many times as much support, and of two that say the
  /// same the one with this many times as many corners is more exact ...
  private static let clearlyMore = 1.5
  /// ... if it is no further from the first look's than this, in pixels: the picture on which the second looked is made of
  /// frames that are not placed exactly themselves, and must not lead another away from the reference round by round.
  private static let refinement = 0.1

  /// What a second look says of a frame: how it lies on a picture of the reference's view in which people hide less. Who
  /// walks there is another, or nobody, so that what both looks say is right.
  /// - Parameters:
  ///   - first: how it was placed on the reference.
  ///   - settled: what has become of it.
  ///   - second: how it was placed on the other picture.
  ///   - size: the reference's.
  package func opinion(
    of second: PlacedFrame, on first: PlacedFrame, settled: FrameOutcome<Alignment>, size: Size
  ) -> SecondOpinion {
    guard let alignment = second.outcome.value else { return .silent }
    func isSame(_ outcome: FrameOutcome<Alignment>) -> Bool {
      outcome.value.map { $0.distance(to: alignment, size: size) < Self.confirmation } ?? false
    }
    /// The second look's word for the same, where it is the more exact.
    func moreExact(than known: FrameOutcome<Alignment>) -> FrameOutcome<Alignment>? {
      guard let known = known.value, Double(alignment.inliers) > Self.clearlyMore * Double(known.inliers),
        let reference = first.outcome.value, reference.distance(to: alignment, size: size) < Self.refinement
      else { return nil }
      // Whether the reference repeats itself, or hardly shows anything but people, is not seen better on another picture.
      return second.outcome.with {
        $0.isSmallestOfEqual = known.isSmallestOfEqual
        $0.isUnsure = $0.isUnsure || known.isUnsure
      }
    }
    if isSame(settled) { return moreExact(than: settled).map { .corrects($0) } ?? .confirms }
    if isSame(first.outcome) { return .corrects(moreExact(than: first.outcome) ?? first.outcome) }
    let isClear = first.outcome.isAccepted && second.support > Self.clearlyMore * first.support
    guard isClear || !second.isDoubtful else { return .silent }
    // People who stay stand in the other picture as well.
    let wasUnsure = first.outcome.value?.isUnsure ?? false
    return .corrects(second.outcome.with { $0.isUnsure = $0.isUnsure || wasUnsure })
  }

  /// How a frame lies without those who stay in it and move a little, whom its mesh, or even its homography, may have followed.
  /// - Parameters:
  ///   - placed: how it was placed and settled with them.
  ///   - people: regions of the reference in which somebody has been found.
  /// - Returns: nil where nobody there moves, or hardly anything else is left; without photometric match and sharpness.
  package func keepStill(
    _ frame: FrameDescription, _ placed: PlacedFrame, on reference: PreparedReference, beside people: [Region]
  ) -> FrameOutcome<Alignment>? {
    guard let moving = placed.moving, let known = placed.settled.value else { return nil }
    let result = search(frame, reference).refine(without: moving) { point in
      people.contains { $0.contains(x: Int(point.x), y: Int(point.y)) }
    }
    guard case .success(let motion)? = result else { return nil }
    return outcome(of: .success(motion), planes: placed.planes).with {
      $0.isSmallestOfEqual = known.isSmallestOfEqual
      $0.isUnsure = known.isUnsure
    }
  }

  private func unmoved(_ frame: FrameDescription, planes: Int, on reference: PreparedReference) -> PlacedFrame {
    let alignment = Alignment.reference(planes: planes)
    let fits = frame.size == reference.description.size
    return PlacedFrame(
      outcome: fits ? .accepted(alignment) : .rejected(.implausibleGeometry, alignment), candidates: [.identity],
      isDoubtful: false, support: 1)
  }

  private func outcome(of result: Result<RefinedMotion, Rejection>, planes: Int) -> FrameOutcome<Alignment> {
    var alignment = Alignment.reference(planes: planes)
    switch result {
    case .success(let motion):
      alignment.homography = motion.map
      alignment.mesh = motion.mesh
      alignment.inliers = motion.inliers
      alignment.residual = motion.residual
      alignment.isSmallestOfEqual = motion.isSmallestOfEqual
      alignment.isUnsure = motion.mayBePeoples
      return .accepted(alignment)
    case .failure(let rejection):
      return .rejected(rejection, alignment)
    }
  }
}

extension Alignment {
  /// How far apart two alignments of a frame are, in pixels: without their meshes, which go astray where nothing is seen,
  /// at the corners; or with them, what four fifths of the reference stay below. Whichever is less.
  /// - Parameter size: the reference's.
  fileprivate func distance(to other: Alignment, size: Size) -> Double {
    guard let (own, others) = homography.inverse.flatMap({ own in other.homography.inverse.map { (own, $0) } }) else {
      return .infinity
    }
    let parts = 8
    let distances = (0...parts).flatMap { row in
      (0...parts).map { column in
        let p = Point(
          x: Double(column * (size.width - 1)) / Double(parts), y: Double(row * (size.height - 1)) / Double(parts))
        return own(p.displaced(by: mesh)).distance(to: others(p.displaced(by: other.mesh)))
      }
    }
    return min(percentile(distances, 0.8), homography.cornerDistance(to: other.homography, size: size))
  }
}

extension Point {
  func displaced(by mesh: ResidualMesh?) -> Point {
    guard let shift = mesh?(self) else { return self }
    return Point(x: x + shift.x, y: y + shift.y)
  }
}

/// What a second look says of how a frame lies.
package enum SecondOpinion: Sendable {
  /// Nothing that could be relied on.
  case silent
  /// That it lies as was found.
  case confirms
  /// That it lies like this, be it elsewhere or the same more exactly, without photometric match and sharpness.
  case corrects(FrameOutcome<Alignment>)
}

/// What is known of a frame by what it and the reference show alone, before other frames are asked.
package struct PlacedFrame: Sendable {
  /// How it lies by what the two show alone, without photometric match and sharpness.
  package let outcome: FrameOutcome<Alignment>
  /// The same when others have been asked.
  package private(set) var settled: FrameOutcome<Alignment>
  /// Whether other frames are to be asked.
  package let isDoubtful: Bool
  /// Motions that were considered, full size, the chosen one first.
  let candidates: [Homography]
  /// The share of the cells with corners, of those that it could show, in which they agree with its motion, 0...1; 0
  /// where it was refused.
  package let support: Double
  package let isReference: Bool
  /// What moves by itself in the frame as it is settled, and its mesh may have followed; nil where it has none.
  fileprivate private(set) var moving: MovingGroups?

  init(
    outcome: FrameOutcome<Alignment>, candidates: [Homography], isDoubtful: Bool, support: Double,
    moving: MovingGroups? = nil, isReference: Bool = false
  ) {
    self.outcome = outcome
    settled = outcome
    self.candidates = candidates
    self.isDoubtful = isDoubtful
    self.moving = moving
    self.support = support
    self.isReference = isReference
  }

  /// Whether so little of the picture agrees that people could have led it away.
  package var isThin: Bool { !isReference && (isDoubtful || support < MotionSearch.consent) }

  /// Pixels of the reference that show what moves by itself in the frame, be it somebody or a branch.
  package var movingCorners: [Point] { moving?.corners ?? [] }

  /// The reference itself.
  /// - Parameter planes: how many it has.
  package static func reference(planes: Int) -> PlacedFrame {
    PlacedFrame(
      outcome: .accepted(.reference(planes: planes)), candidates: [.identity], isDoubtful: false, support: 1,
      isReference: true)
  }

  /// The same, settled otherwise.
  fileprivate func settling(_ outcome: FrameOutcome<Alignment>, moving: MovingGroups?) -> PlacedFrame {
    var frame = self
    (frame.settled, frame.moving) = (outcome, moving)
    return frame
  }

  fileprivate var planes: Int { outcome.alignment?.photometric.channels.count ?? 0 }
}
