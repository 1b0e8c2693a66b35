import Frames
import Glibc
import ShimSupport

/// The motions that a motion has to be better than before it is believed: no motion at all, whatever features and shifts
/// of the whole picture suggest, and so whole periods of what repeats.
///
/// No measure of one motion alone tells right from wrong: in a crowd, the right one is contradicted by most of the
/// picture, and on a façade of equal windows a wrong one by next to nothing. Two motions on the same places can be told
/// apart.
struct RivalMotions: Sendable {
  let search: MotionSearch
  let agreement: Agreement

  /// A motion and what speaks for it.
  struct Rival: Sendable {
    /// Frame to reference, proxy pixels.
    var map: Homography
    /// See `Agreement`.
    var correlation: Double
    /// Whether features suggest it, which are matched only where nothing else looks alike.
    var isKnown = false
    /// How many others are clearly better.
    var losses = 0
  }

  struct Verdict: Sendable {
    /// The likeliest first.
    var ranked: [Rival]
    /// The picture repeats itself, and another motion explains as much and is about as small.
    var isAmbiguous: Bool
    /// A larger motion explains more, though not all over the picture.
    var isChallenged = false
    /// The picture repeats itself, and larger motions explain as much as the likeliest one.
    var isSmallestOfEqual = false
  }

  /// Peaks of a surface of shifts that are looked at.
  private static let peaks = 8
  /// Where the picture repeats itself, how many motions at most are looked at closely because they agree best, and how many
  /// because they are the smallest.
  private static let (best, smallest) = (16, 24)
  /// Peaks that motions are fitted from, and degrees to either side by which the frame is turned to find some.
  private static let (starts, turns) = (3, 8)
  /// The correlation of a motion whose rotation and scale can be relied on.
  static let sure = 0.4
  /// A rival with less than this share of the best one's correlation has lost.
  static let share = 0.6
  /// Whole pictures that agree less than this show different things.
  private static let least = 0.06
  /// Below this they may: noise and other scenes come to 0.2, one that repeats itself to more even where a crowd hides most of it.
  static let oneScene = 0.2
  /// A difference of correlations that decides by itself; aliases hardly differ.
  private static let clear = 0.1
  /// How many times as many cells the better of two motions wins, and how many more at least.
  private static let (lead, leastLead) = (1.5, 5)
  /// Where the picture repeats itself, a larger motion than a hand's must win more clearly, and over this share of it:
  /// people who walk make their own motion look right where they are.
  private static let (largeLead, leastSpread) = (2.0, 0.25)
  /// Nor do they walk all over it: the share of the bands across the picture in which it must win.
  private static let leastReach = 0.8
  /// A motion this many times as large is no hand's, where a smaller one explains as much.
  private static let shake = 1.5

  private var reference: PreparedReference { search.reference }
  private var frame: FrameDescription { search.frame }
  private var repeats: Bool { reference.repetition.isFound }

  /// Ranks motions and those that the whole pictures suggest.
  /// - Parameter known: frame to reference, proxy pixels, the likeliest first.
  func verdict(known: [Homography]) throws(ShimError) -> Verdict {
    var maps = known + [unmoved()]
    for base in try bases(known) { maps += try suggested(around: base) }
    let rivals = distinct(possible(maps, known: known.count))
    return contest(repeats ? distinct(polished(rivals)) : rivals)
  }

  /// Motions whose rotation and scale may be right, whatever their shift is.
  private func bases(_ known: [Homography]) throws(ShimError) -> [Homography] {
    func isSure(_ rival: Rival?) -> Bool { rival.map { $0.correlation > Self.sure } ?? false }
    let best = known.map(rival).max { $0.correlation < $1.correlation }
    if let best, isSure(best) { return [best.map] + (try opposite(best.map).map { [$0.map] } ?? []) }
    var fitted = [self.best(of: try agreement.peaks(around: unmoved(), most: Self.starts))]
    // Of equal windows features know nothing, and shifts bear no turn.
    if repeats, !isSure(fitted[0]) {
      fitted = [try turned(quarter: 0)]
      if !isSure(fitted[0]) { fitted += [try turned(quarter: 1), try turned(quarter: 3)] }
    }
    return ([best] + fitted).compactMap { $0?.map }
  }

  /// For a frame that is turned by a quarter, the best motion that turns it to the other side: equal windows fit either way.
  private func opposite(_ map: Homography) throws(ShimError) -> Rival? {
    let size = frame.proxySize
    let upsideDown = Homography(-1, 0, Double(size.width - 1), 0, -1, Double(size.height - 1), 0, 0)
    guard repeats, search.limits.isQuarterTurn(map, frame: size), let map = map * upsideDown else { return nil }
    return best(of: try agreement.peaks(around: map, most: Self.starts))
  }

  /// The best of the motions that turn the frame, by about some quarters.
  private func turned(quarter: Int) throws(ShimError) -> Rival? {
    var peaks: [Agreement.Peak] = []
    for step in -Self.turns...Self.turns {
      let turned = unmoved(quarter: quarter, turnedBy: Double(step) * .pi / 180)
      peaks += try agreement.peaks(around: turned, most: 1)
    }
    return best(of: peaks.sorted { $0.height > $1.height }.prefix(Self.starts))
  }

  /// The best of the motions that are fitted to the pictures from some shifts.
  private func best(of peaks: some Sequence<Agreement.Peak>) -> Rival? {
    peaks.compactMap { DenseFit(agreement: agreement).fit(from: $0.map) }.map(rival)
      .max { $0.correlation < $1.correlation }
  }

  /// No motion but a turn about the centre, by quarters and radians, between pictures that may differ in resolution.
  private func unmoved(quarter: Int = 0, turnedBy angle: Double = 0) -> Homography {
    let (own, other) = (frame.proxySize, reference.description.proxySize)
    let scale = MotionLimits.resize(own, other)
    let angle = angle + Double(quarter) * .pi / 2
    let (c, s) = (scale * cos(angle), scale * sin(angle))
    let (from, to) = (own.centre, other.centre)
    return Homography(c, -s, to.x - c * from.x + s * from.y, s, c, to.y - s * from.x - c * from.y, 0, 0)
  }

  /// A motion, the shifts on top of it that whole pictures suggest, and whole periods to all sides.
  private func suggested(around base: Homography) throws(ShimError) -> [Homography] {
    let peaks = try agreement.peaks(around: base, most: Self.peaks).filter { $0.height > Self.least }.map(\.map)
    return [base] + peaks + reference.repetition.aliases(of: base, isAllowed: isNearlyAllowed)
  }

  /// How far the corner that moves the most does, as a share of the reference's width.
  private func motion(of map: Homography) -> Double {
    search.limits.motion(
      of: search.coarseSearch.fullSize(map), frame: frame.size, reference: reference.description.size)
  }

  private func rival(_ map: Homography) -> Rival { Rival(map: map, correlation: agreement.correlation(along: map)) }

  /// Motions as far as a camera may move like that, or nearly: where the truth is too far away, nothing else is true.
  /// - Parameter known: how many of them, at the beginning, features suggest.
  private func possible(_ maps: [Homography], known: Int) -> [Rival] {
    maps.enumerated().compactMap { index, map in
      let rejection = search.rejection(of: map)
      guard rejection?.isNearMiss ?? true else { return nil }
      var rival = rival(map)
      rival.isKnown = index < known
      return rejection == nil || rival.correlation > Self.sure ? rival : nil
    }
  }

  /// Whether a camera moves like that, or nearly.
  private func isNearlyAllowed(_ map: Homography) -> Bool { search.rejection(of: map)?.isNearMiss ?? true }

  /// The best of those that mean the same, as far as the pictures agree; the best first.
  private func distinct(_ rivals: [Rival]) -> [Rival] {
    let sorted = rivals.enumerated()
      .sorted { ($1.element.correlation, $0.offset) < ($0.element.correlation, $1.offset) }
      .map(\.element)
    let needed = max(Self.share * (sorted.first?.correlation ?? 0), Self.least)
    var kept: [Rival] = []
    for rival in sorted where rival.correlation >= needed {
      if let same = kept.firstIndex(where: { agreement.isSame($0.map, rival.map) }) {
        kept[same].isKnown = kept[same].isKnown || rival.isKnown
      } else {
        kept.append(rival)
      }
    }
    return kept
  }

  /// The best and the smallest of many, each fitted: periods add up, and so do their errors.
  /// - Parameter rivals: the best first.
  private func polished(_ rivals: [Rival]) -> [Rival] {
    let motions = rivals.map { motion(of: $0.map) }
    let smallest = Set(rivals.indices.sorted { (motions[$0], $0) < (motions[$1], $1) }.prefix(Self.smallest))
    return rivals.indices.filter { $0 < Self.best || smallest.contains($0) || rivals[$0].isKnown }.map { index in
      var result = rivals[index]
      guard let map = DenseFit(agreement: agreement).fit(from: result.map, models: [.homography]) else { return result }
      let correlation = agreement.correlation(along: map)
      if correlation > result.correlation, isNearlyAllowed(map) {
        (result.map, result.correlation) = (map, correlation)
      }
      return result
    }
  }

  /// Each meets each, by whole pictures and then by grey values: the smallest of those that the fewest are clearly better than comes first.
  private func contest(_ rivals: [Rival]) -> Verdict {
    guard rivals.count > 1 else { return Verdict(ranked: rivals, isAmbiguous: false) }
    let contest = GreyContest(frame: frame.grey, reference: reference.description.grey)
    let outcomes = rivals.map { contest.outcome(along: $0.map) }
    let motions = rivals.map { motion(of: $0.map) }
    let bands = repeats ? contest.bandsWithDetail() : []
    // Of a frame that is turned to one side or to the other, neither is nearer to what a hand does.
    func isOpposite(_ a: Int, _ b: Int) -> Bool {
      search.limits.isOpposite(rivals[a].map, rivals[b].map, frame: frame.proxySize)
    }
    func isNoHands(_ a: Int, beside b: Int) -> Bool {
      repeats && motions[a] > Self.shake * motions[b] && !isOpposite(a, b)
    }
    /// - Parameter everywhere: whether a motion that is no hand's must also win all over the picture.
    func isBetter(_ a: Int, than b: Int, everywhere: Bool = true) -> Bool {
      let difference = rivals[a].correlation - rivals[b].correlation
      if abs(difference) > Self.clear, !(difference > 0 ? isNoHands(a, beside: b) : isNoHands(b, beside: a)) {
        return difference > 0
      }
      let score = GreyContest.score(outcomes[a], outcomes[b])
      if max(score.onlyA, score.onlyB) >= Self.leastLead {
        let isLarger = isNoHands(a, beside: b)
        let lead = isLarger ? Self.largeLead : Self.lead
        return Double(score.onlyA) >= lead * Double(score.onlyB) && score.onlyA >= score.onlyB + Self.leastLead
          && (!isLarger
            || score.spread >= Self.leastSpread && (!everywhere || score.reach(over: bands) >= Self.leastReach))
      }
      // Too faint for grey values, but not for features.
      return rivals[a].isKnown && !rivals[b].isKnown
    }
    let losses = rivals.indices.map { a in rivals.indices.count { isBetter($0, than: a) } }
    let order = rivals.indices.sorted { (losses[$0], motions[$0], $0) < (losses[$1], motions[$1], $1) }
    let equals = repeats ? order.dropFirst().filter { losses[$0] == losses[order[0]] } : []
    let isAmbiguous = equals.contains { motions[$0] < Self.shake * motions[order[0]] || isOpposite($0, order[0]) }
    let isChallenged = rivals.indices.contains {
      isBetter($0, than: order[0], everywhere: false) && !isBetter($0, than: order[0])
    }
    let ranked = order.map { index in
      var rival = rivals[index]
      rival.losses = losses[index]
      return rival
    }
    return Verdict(
      ranked: ranked, isAmbiguous: isAmbiguous, isChallenged: isChallenged,
      isSmallestOfEqual: !equals.isEmpty || isChallenged)
  }
}

extension Rejection {
  /// Whether a camera that moved a little less would be accepted.
  fileprivate var isNearMiss: Bool {
    if case .tooFarAway(let share, let limit) = self { share < 1.5 * limit } else { false }
  }
}
