import Frames
import ShimSupport

/// The search for how one frame lies on another: features give candidates, corners tracked both ways refine them, and
/// what is not beyond doubt has to be better than its rivals.
struct MotionSearch: Sendable {
  let registrar: Registrar
  let frame: FrameDescription
  let reference: PreparedReference

  struct Outcome: Sendable {
    var result: Result<RefinedMotion, Rejection>
    /// The motions that were considered, in full-size pixels, the chosen one first.
    var candidates: [Homography]
    /// Another motion has nearly as much to say for itself, or little of the picture agrees with this one.
    var isDoubtful: Bool
  }

  /// A runner-up with this share of the winner's cells makes the choice doubtful ...
  private static let rivalry = 0.3
  /// ... and so does a winner with less than this share of the cells that could agree.
  static let consent = 0.4

  /// Whole pictures that agree as much as this leave no doubt ...
  private static let consensus = 0.5
  /// ... where the reference agrees with itself, when it is shifted, by this much less.
  private static let uniqueness = 0.15

  var limits: MotionLimits { registrar.limits }
  var coarseSearch: CoarseSearch { registrar.coarseSearch(of: frame, on: reference.description) }

  /// Finds the motion that the largest part of the picture agrees on: extent decides, not the number of
  /// correspondences, so that one richly textured thing that moves does not outvote the scene.
  /// - Parameter known: motions that are possible, full-size pixels, when they have been looked for already.
  func best(among known: CoarseMotions? = nil) throws(ShimError) -> Outcome {
    let found = if let known = plausible(known) { known } else { try coarseSearch.motions() }
    let outcome = try refined(found)
    if case .success(let motion) = outcome.result, !outcome.isDoubtful, isBeyondDoubt(motion) { return outcome }
    return try afterMeetingRivals(outcome)
  }

  /// The candidate that tracked corners agree on in the largest part of the picture.
  private func refined(_ found: CoarseMotions) throws(ShimError) -> Outcome {
    switch found {
    case .failure(let rejection):
      return Outcome(result: .failure(rejection), candidates: [], isDoubtful: true)
    case .success(let candidates):
      let rivals = candidates.filter { Double($0.cells) >= Self.rivalry * Double(candidates[0].cells) }
      var outcomes: [(candidate: CoarseMotion, result: Result<RefinedMotion, Rejection>)] = []
      for rival in rivals { outcomes.append((rival, try refine(rival.map))) }
      func cells(_ result: Result<RefinedMotion, Rejection>) -> Int { (try? result.get())?.cells ?? -1 }
      let winner = outcomes.indices.max { (cells(outcomes[$0].result), -$0) < (cells(outcomes[$1].result), -$1) }!
      let chosen = outcomes.remove(at: winner)
      let runnerUp = outcomes.map { cells($0.result) }.max() ?? 0
      let motion = try? chosen.result.get()
      let isDoubtful =
        motion.map {
          Double(runnerUp) >= Self.rivalry * Double($0.cells)
            || $0.support < Self.consent
        } ?? true
      let maps = ([chosen.candidate] + outcomes.map(\.candidate)).map { coarseSearch.fullSize($0.map) }
      return Outcome(result: chosen.result, candidates: maps, isDoubtful: isDoubtful)
    }
  }

  private var agreement: Agreement {
    Agreement(frame: frame.whitened, reference: reference.description.whitened)
  }

  /// Why a camera does not move like `map`, frame to reference in proxy pixels.
  func rejection(of map: Homography) -> Rejection? {
    limits.rejection(of: coarseSearch.fullSize(map), frame: frame.size, reference: reference.description.size)
  }

  private func isBeyondDoubt(_ motion: RefinedMotion) -> Bool {
    agreement.correlation(along: coarseSearch.proxy(motion.map))
      > max(Self.consensus, reference.repetition.agreement + Self.uniqueness)
  }

  /// The outcome if no rival is better, else the rival's.
  private func afterMeetingRivals(_ outcome: Outcome) throws(ShimError) -> Outcome {
    let motion = try? outcome.result.get()
    var known = outcome.candidates
    if let motion { known = [motion.map] + known.dropFirst() }
    let verdict = try RivalMotions(search: self, agreement: agreement).verdict(known: known.map(coarseSearch.proxy))
    if verdict.isAmbiguous {
      // Which of them it is does not matter where none explains anything, as of another scene.
      let explained = verdict.ranked.map(\.correlation).max() ?? 0
      if case .failure(.tooFewInliers) = outcome.result, explained < RivalMotions.oneScene { return outcome }
      return Outcome(result: .failure(.repeating), candidates: outcome.candidates, isDoubtful: true)
    }
    let candidates = verdict.ranked.map { coarseSearch.fullSize($0.map) }
    var refusal: Rejection?
    for rival in verdict.ranked where rival.losses == verdict.ranked[0].losses {
      if let motion, agreement.isSame(coarseSearch.proxy(motion.map), rival.map) {
        let isDoubtful = outcome.isDoubtful || refusal != nil || verdict.isChallenged
        let result = try believed(motion, rival.correlation, beside: known).map { $0.told(by: verdict) }
        return Outcome(result: result, candidates: candidates, isDoubtful: isDoubtful)
      }
      if let why = rejection(of: rival.map) {
        refusal = refusal ?? why
        continue
      }
      switch try confirmed(rival, beside: known) {
      case .success(let motion):
        return Outcome(
          result: .success(motion.told(by: verdict)), candidates: candidates,
          isDoubtful: refusal != nil || verdict.isChallenged)
      case .failure(let why): refusal = refusal ?? why
      }
    }
    switch (outcome.result, refusal) {
    case (.failure, .tooFaint), (.failure, .tooFarAway), (.success, _): break
    case (.failure(let why), _): refusal = why
    }
    guard let refusal else { return outcome }
    return Outcome(result: .failure(refusal), candidates: candidates, isDoubtful: true)
  }

  /// A motion that no rival is better than, unless so little agrees with it that it may be somebody's who walks.
  /// - Parameter loud: motions that features suggest, full size.
  private func believed(
    _ motion: RefinedMotion, _ correlation: Double, beside loud: [Homography]
  ) throws(ShimError) -> Result<RefinedMotion, Rejection> {
    let needed = limits.neededCells(of: motion.map, frame: frame.size, reference: reference.description.size)
    if correlation < RivalMotions.sure, motion.cells < needed {
      return .failure(.poorSpread(cells: motion.cells, needed: needed))
    }
    return try QuietRival(search: self, loud: loud).exists(beside: motion.map) ? .failure(.tooFaint) : .success(motion)
  }

  /// What tracked corners make of a motion that whole pictures suggest: they may not lead it away.
  private func confirmed(
    _ rival: RivalMotions.Rival, beside loud: [Homography]
  ) throws(ShimError) -> Result<RefinedMotion, Rejection> {
    let result = try refine(rival.map)
    switch result {
    case .success(let motion):
      let correlation = agreement.correlation(along: coarseSearch.proxy(motion.map))
      guard correlation >= RivalMotions.share * rival.correlation else { return .failure(.tooFaint) }
      return try believed(motion, correlation, beside: loud)
    case .failure(.tooFewInliers), .failure(.poorSpread):
      return rival.correlation > RivalMotions.sure ? .failure(.tooFaint) : result
    case .failure: return result
    }
  }

  /// The known motions in proxy pixels, as far as this reference allows them; nil when none of them is left.
  private func plausible(_ known: CoarseMotions?) -> CoarseMotions? {
    guard let known else { return nil }
    guard case .success(let candidates) = known else { return known }
    let allowed = candidates.filter {
      limits.rejection(of: $0.map, frame: frame.size, reference: reference.description.size) == nil
    }
    return allowed.isEmpty ? nil : .success(allowed.map(coarseSearch.proxy))
  }
}

extension RefinedMotion {
  fileprivate func told(by verdict: RivalMotions.Verdict) -> RefinedMotion {
    var motion = self
    motion.isSmallestOfEqual = verdict.isSmallestOfEqual
    return motion
  }
}
