import Frames
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

  /// Peaks of a surface of shifts that are looked at, and how many where the picture repeats itself.
  private static let (peaks, manyPeaks) = (8, 24)
  /// A reference that agrees with itself this much when it is shifted repeats itself.
  static let repetition = 0.5
  /// The correlation of a motion whose rotation and scale can be relied on.
  static let sure = 0.4
  /// A rival with less than this share of the best one's correlation has lost.
  static let share = 0.6
  /// Whole pictures that agree less than this show different things.
  private static let least = 0.06
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
  private var repeats: Bool { reference.selfSimilarity > Self.repetition }

  /// Ranks motions and those that the whole pictures suggest.
  /// - Parameter known: frame to reference, proxy pixels, the likeliest first.
  func verdict(known: [Homography]) throws(ShimError) -> Verdict {
    var maps = known + [unmoved]
    for base in try bases(known) {
      maps.append(base)
      for peak in try agreement.peaks(around: base, most: repeats ? Self.manyPeaks : Self.peaks)
      where peak.height > Self.least { maps.append(peak.map) }
    }
    return contest(distinct(maps, known: known.count))
  }

  /// No motion, between pictures that may differ in resolution.
  private var unmoved: Homography {
    let (own, other) = (frame.proxySize, reference.description.proxySize)
    let scale = Double(other.width) / Double(own.width)
    return Homography(
      scale, 0, Double(other.width - 1) / 2 - Double(own.width - 1) / 2 * scale, 0, scale,
      Double(other.height - 1) / 2 - Double(own.height - 1) / 2 * scale, 0, 0)
  }

  /// Motions whose rotation and scale may be right, whatever their shift is.
  private func bases(_ known: [Homography]) throws(ShimError) -> [Homography] {
    let best = known.map(rival).max { $0.correlation < $1.correlation }
    if let best, best.correlation > Self.sure { return [best.map] }
    let fitted = try agreement.peaks(around: unmoved, most: 3)
      .compactMap { DenseFit(agreement: agreement).fit(from: $0.map) }
      .map(rival)
      .max { $0.correlation < $1.correlation }
    return [best, fitted].compactMap { $0?.map }
  }

  private func rival(_ map: Homography) -> Rival { Rival(map: map, correlation: agreement.correlation(along: map)) }

  /// The best of those that mean the same, as far as a camera may move like that and the pictures agree.
  /// - Parameter known: how many of them, at the beginning, features suggest.
  private func distinct(_ maps: [Homography], known: Int) -> [Rival] {
    let allowed = maps.enumerated().filter { _, map in
      search.limits.rejection(
        of: search.coarseSearch.fullSize(map), frame: frame.size, reference: reference.description.size) == nil
    }
    let rivals =
      allowed
      .map { index, map in
        var rival = rival(map)
        rival.isKnown = index < known
        return rival
      }
      .enumerated()
      .sorted { ($1.element.correlation, $0.offset) < ($0.element.correlation, $1.offset) }
      .map(\.element)
    let needed = max(Self.share * (rivals.first?.correlation ?? 0), Self.least)
    var kept: [Rival] = []
    for rival in rivals where rival.correlation >= needed {
      if let same = kept.firstIndex(where: { agreement.isSame($0.map, rival.map) }) {
        kept[same].isKnown = kept[same].isKnown || rival.isKnown
      } else {
        kept.append(rival)
      }
    }
    return kept
  }

  /// Each meets each, by whole pictures and then by grey values: the smallest of those that the fewest are clearly better than comes first.
  private func contest(_ rivals: [Rival]) -> Verdict {
    guard rivals.count > 1 else { return Verdict(ranked: rivals, isAmbiguous: false) }
    let contest = GreyContest(frame: frame.grey, reference: reference.description.grey)
    let outcomes = rivals.map { contest.outcome(along: $0.map) }
    let motions = rivals.map { rival in
      search.limits.motion(
        of: search.coarseSearch.fullSize(rival.map), frame: frame.size, reference: reference.description.size)
    }
    let bands = repeats ? contest.bandsWithDetail() : []
    func isNoHands(_ a: Int, beside b: Int) -> Bool { repeats && motions[a] > Self.shake * motions[b] }
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
    let isAmbiguous = equals.contains { motions[$0] < Self.shake * motions[order[0]] }
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
