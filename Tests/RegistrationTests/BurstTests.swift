import Foundation
import Frames
import Testing

@testable import Registration

@Suite struct Models {
  private func alignment(_ model: AlignmentModel, truth: Homography) throws -> FrameOutcome<Alignment> {
    try registered(Shot(truth), of: Scenes.textured(seed: 20), registrar: Registrar(model: model))
  }

  @Test func affineFindsShear() throws {
    let truth = Homography(1.01, 0.015, -4, -0.01, 0.995, 6, 0, 0)
    let found = try alignment(.affine, truth: truth)
    #expect(found.isAccepted && found.mesh == nil)
    #expect(found.homography.cornerDistance(to: truth, size: Scenes.size) < 0.08)
    #expect(found.homography.elements[6] == 0 && found.homography.elements[7] == 0)
  }

  @Test func affineComesCloseToATurn() throws {
    let truth = turned(yaw: 0.4, pitch: 0.2, roll: 0.5)
    let found = try alignment(.affine, truth: truth)
    #expect(found.isAccepted)
    #expect(found.homography.cornerDistance(to: truth, size: Scenes.size) < 4)
  }

  @Test func translationFindsAShiftOfAFraction() throws {
    let truth = Homography.translation(x: 7.3, y: -4.6)
    let found = try alignment(.translation, truth: truth)
    #expect(found.isAccepted)
    #expect(found.homography.cornerDistance(to: truth, size: Scenes.size) < 0.05)
    #expect(found.homography.elements[0] == 1 && found.homography.elements[1] == 0)
  }

  @Test func noneLeavesFramesWhereTheyAre() throws {
    let found = try alignment(.none, truth: .translation(x: 7, y: 3))
    #expect(found.isAccepted && found.homography == .identity)
    var small = Shot()
    small.size = Size(width: 320, height: 240)
    let refused = try registered(small, of: Scenes.textured(seed: 20), registrar: Registrar(model: .none))
    #expect(!refused.isAccepted)
  }
}

@Suite struct Bursts {
  private let texture = Scenes.textured(seed: 30)
  private let poses = [
    turned(yaw: -0.8, pitch: 0.1), turned(yaw: -0.3, roll: 0.3), .identity, turned(yaw: 0.4, pitch: -0.3),
    turned(yaw: 2.4, pitch: 0.6, roll: -0.5),
  ]

  private func describe(_ shots: [Shot], _ registrar: Registrar = Registrar()) throws -> [FrameDescription] {
    try shots.map { try registrar.describe($0.frame(of: texture)) }
  }

  private func shots() -> [Shot] {
    poses.enumerated().map { i, pose in
      var shot = Shot(pose)
      shot.seed = UInt64(i + 1)
      return shot
    }
  }

  @Test func resultsDoNotDependOnThreads() async throws {
    let frames = try describe(shots())
    let one = try await Registrar().register(frames, reference: 2, threads: 1)
    let four = try await Registrar().register(frames, reference: 2, threads: 4)
    #expect(one.map(\.homography) == four.map(\.homography))
    #expect(one.map(\.mesh) == four.map(\.mesh))
    #expect(one[2].homography == .identity && one[2].inliers == 0)
  }

  @Test func aBusThatFillsAFrameIsSettledByTheOthers() async throws {
    // In the reference and in frame 1 a bus covers more than half; the other frames tell where the camera was.
    let bus = Scenes.textured(seed: 2000)
    func cover(_ x0: Double) -> Mover {
      { x, y in x > x0 && x < x0 + 400 && y > 15 ? bus(x - x0, y) : nil }
    }
    var shots = shots()
    shots[0].mover = cover(140)
    shots[1].mover = cover(190)
    let found = try await Registrar().register(try describe(shots), reference: 0, threads: 2)
    let truth = composed(poses[0].inverse!, poses[1])
    #expect(found[1].isAccepted)
    #expect(found[1].homography.cornerDistance(to: truth, size: Scenes.size) < 0.5)
  }

  @Test func theReferenceIsSharpAndNearTheMiddle() async throws {
    var shots = shots()
    shots[2].blur = 6
    let frames = try describe(shots)
    let chosen = try await ReferenceChoice(registrar: Registrar()).choose(
      among: frames, threads: 2
    ).index
    #expect(chosen == 1 || chosen == 3, "frame 2 is in the middle but blurred")
    shots[2].blur = 0
    let sharp = try describe(shots)
    let middle = try await ReferenceChoice(registrar: Registrar()).choose(among: sharp, threads: 1)
    #expect(middle.index != 4, "frame 4 looks elsewhere")
  }

  @Test func cornersDoNotDependOnThreads() throws {
    let frame = try describe(shots())[2]
    let corners = try [1, 2, 5, 1000].map { try Registrar().prepare(frame, threads: $0).corners.map(Point.init) }
    #expect(corners[0].count > 300)
    for more in corners.dropFirst() { #expect(more == corners[0]) }
  }

  /// Where the frames lie need not be found out again for the reference.
  @Test func posesLeadToTheSameAlignments() async throws {
    let frames = try describe(shots())
    let poses = try await ReferenceChoice(registrar: Registrar()).choose(
      among: frames, threads: 2
    ).poses
    #expect(poses.placed >= 4)
    for reference in [poses.origin, 0] {
      let direct = try await Registrar().register(frames, reference: reference, threads: 2)
      let led = try await Registrar().register(frames, reference: reference, poses: poses, threads: 2)
      for (i, (a, b)) in zip(direct, led).enumerated() {
        #expect(a.isAccepted == b.isAccepted)
        guard a.isAccepted else { continue }
        #expect(a.homography.cornerDistance(to: b.homography, size: frames[i].size) < 0.1)
      }
    }
  }

  /// Nor does it matter when they are found out.
  @Test func posesKnownBeforehandChangeNothing() async throws {
    let frames = try describe(shots())
    let choice = ReferenceChoice(registrar: Registrar())
    let origin = ReferenceChoice.origin(count: frames.count)
    let known = try [0, origin + 1].map { i in (i, try Registrar().coarseMotions(of: frames[i], on: frames[origin])) }
    let late = try await choice.choose(among: frames, threads: 2)
    let early = try await choice.choose(
      among: frames, known: Dictionary(uniqueKeysWithValues: known), threads: 2)
    #expect(early.index == late.index)
    #expect(early.poses.origin == late.poses.origin)
    #expect(early.poses.homographies == late.poses.homographies)
    // What is known is used: a motion that cannot be keeps its frame out.
    let wrong = CoarseMotions.failure(.implausibleGeometry)
    let misled = try await choice.choose(among: frames, known: [0: wrong], threads: 2)
    #expect(late.poses.homographies[0] != nil)
    #expect(misled.poses.homographies[0] == nil)
  }

  /// Nor does it matter when a frame is placed.
  @Test func placingEarlyChangesNothing() async throws {
    let frames = try describe(shots())
    let registrar = Registrar()
    let reference = try registrar.prepare(frames[2])
    let early = try registrar.place(frames[1], planes: 1, on: reference)
    let late = try await registrar.register(frames, reference: 2, threads: 2)
    let both = try await registrar.register(frames, reference: 2, placed: [1: early], threads: 2)
    #expect(late.map(\.homography) == both.map(\.homography))
    #expect(late.map(\.mesh) == both.map(\.mesh))
    #expect(late.map(\.isAccepted) == both.map(\.isAccepted))
  }

  @Test func blurredFramesAreLeftOutUnlessTooFewRemain() async throws {
    var shots = shots()
    shots[3].blur = 8
    shots[1].gain = 0.6
    for i in shots.indices { shots[i].noise = 0.3 }
    let frames = try describe(shots)
    var found = try await Registrar().register(frames, reference: 2, threads: 2)
    found[1] = found[1].with { $0.photometric.channels[0].gain = 1 / 0.6 }
    let judged = try SharpnessRule().apply(to: found, frames: frames, reference: 2)
    let accepted = judged.map(\.isAccepted)
    #expect(accepted == [true, true, true, false, true])
    guard let why = judged[3].rejection else { return }
    #expect(why.code == "blurred")
    #expect(judged[3].sharpness < judged[2].sharpness / 2)
    #expect(abs(judged[1].sharpness / judged[2].sharpness - 1) < 0.15, "a dark frame is not a blurred one")

    var strict = SharpnessRule()
    strict.leastFrames = 5
    let kept = try strict.apply(to: found, frames: frames, reference: 2)
    #expect(kept.allSatisfy { $0.isAccepted })
  }

  /// Noise is detail to the Laplacian, and there is less of it in a frame that is darkened to the others' exposure.
  @Test func noiseDoesNotMakeBrightFramesBlurred() throws {
    let gains = [1, 1.8, 1, 1, 0.6]
    func judged(noise: Double, blur: Int) throws -> [FrameOutcome<Alignment>] {
      var shots = shots()
      for i in shots.indices { (shots[i].noise, shots[i].gain) = (noise, gains[i]) }
      shots[3].blur = blur
      let dim: Texture = { [texture] x, y in 0.5 * texture(x, y) }
      let frames = try shots.map { try Registrar().describe($0.frame(of: dim)) }
      let found = zip(poses, gains).map { pose, gain in
        var alignment = Alignment.reference(planes: 1)
        alignment.homography = composed(poses[2].inverse!, pose)
        alignment.photometric.channels[0].gain = 1 / gain
        return FrameOutcome.accepted(alignment)
      }
      return try SharpnessRule().apply(to: found, frames: frames, reference: 2)
    }
    let noisy = try judged(noise: 8, blur: 0)
    #expect(noisy.allSatisfy { $0.isAccepted }, "\(noisy.map(\.sharpness))")
    for bright in [1, 4] { #expect(abs(noisy[bright].sharpness / noisy[2].sharpness - 1) < 0.15) }
    let quiet = try judged(noise: 0.3, blur: 8)
    #expect(quiet.map { $0.rejection?.code } == [nil, nil, nil, "blurred", nil], "\(quiet.map(\.sharpness))")
  }

  /// One scene at a quarter, half and the whole of the size: detail of the scene decides, not of the pixel.
  @Test func sharpnessIsComparedAtOneScale() throws {
    let frames = try [Size(width: 640, height: 480), Size(width: 320, height: 240), Size(width: 640, height: 480)].map {
      size in
      let scale = 640 / Double(size.width)
      var shot = Shot(Homography(scale, 0, (scale - 1) / 2, 0, scale, (scale - 1) / 2, 0, 0))
      shot.size = size
      shot.noise = 0.3
      return try Registrar().describe(shot.frame(of: texture))
    }
    let scale = SharpnessScale(frames[0])
    let whole = try scale.comparable(frames[0], homography: .identity)
    let half = try scale.comparable(frames[1], homography: Homography(2, 0, 0.5, 0, 2, 0.5, 0, 0))
    let measured = commonSharpness([whole, half], reference: frames[0].size, threads: 2)
    #expect(abs(measured[1]! / measured[0]! - 1) < 0.3, "\(measured)")
    #expect(frames[1].laplacian.variance > 1.5 * frames[0].laplacian.variance, "by its own pixels the small one wins")
  }

  /// A picture of a third of the size would soften what it takes part in.
  @Test func whatHasLittleDetailIsLeftOut() async throws {
    let small = Size(width: 214, height: 160)
    let up = Homography(3, 0, 1, 0, 3, 1, 0, 0)
    var shots = shots()
    shots[4] = Shot(up)
    shots[4].size = small
    let frames = try describe(shots)
    var found = (0..<5).map { _ in FrameOutcome.accepted(Alignment.reference(planes: 1)) }
    found[4] = found[4].with { $0.homography = up }
    let judged = try SharpnessRule().apply(to: found, frames: frames, reference: 2)
    #expect(judged[0].isAccepted)
    guard let why = judged[4].rejection else {
      Issue.record("accepted")
      return
    }
    #expect(why.code == "too-small")
  }

  @Test func smallOnesAreNoReference() async throws {
    func sizes(_ widths: [Int]) -> [Size] { widths.map { Size(width: $0, height: $0 * 3 / 4) } }
    #expect(
      ReferenceChoice.largeEnough(sizes([2000, 1000, 2000, 1500, 2000, 3000, 500, 2000])) == [
        true, false, true, false, true, false, false, true,
      ])
    #expect(ReferenceChoice.largeEnough(sizes([500, 2000])) == [false, true])
    #expect(ReferenceChoice.largeEnough(sizes([640, 640, 640])) == [true, true, true])
  }

  @Test func anOverexposedFrameIsNoReferenceAndNotBlurred() async throws {
    var shots = shots()
    shots[2].gain = 2.5
    let frames = try describe(shots)
    let chosen = try await ReferenceChoice(registrar: Registrar()).choose(among: frames, threads: 2).index
    #expect(chosen != 2)
    var found = try await Registrar().register(frames, reference: 1, threads: 2)
    found[2] = found[2].with { $0.photometric.channels[0].gain = 0.4 }
    let judged = try SharpnessRule().apply(
      to: ExposureRule().apply(to: found, frames: frames, reference: 1), frames: frames, reference: 1)
    if let why = judged[2].rejection { #expect(why.code == "overexposed") }
  }

  /// Most frames of a white page are white all over but for its marks, where they have all their sharpness.
  @Test func mostFramesMayBeOverexposed() async throws {
    let page: Texture = { [texture] x, y in
      Scenes.smoothNoise(x / 23, y / 23, seed: 3) > 0.85 ? 0.3 * texture(x, y) : 235
    }
    var shots = shots()
    for (i, gain) in [1.2, 0.8, 1.25, 1.15, 0.78].enumerated() { shots[i].gain = gain }
    let frames = try shots.map { try Registrar().describe($0.frame(of: page)) }
    #expect(frames.map { $0.laplacian.clippedShare > 0.6 } == [true, false, true, true, false])
    let chosen = try await ReferenceChoice(registrar: Registrar()).choose(among: frames, threads: 2).index
    #expect(chosen == 1 || chosen == 4)
    // So little is left that brightness may be matched to anything.
    var found = (0..<5).map { _ in FrameOutcome.accepted(Alignment.reference(planes: 1)) }
    found[2] = found[2].with { $0.photometric.channels[0].gain = 7 }
    var rule = ExposureRule()
    rule.leastFrames = 2
    let judged = try rule.apply(to: found, frames: frames, reference: 1)
    #expect(judged[2].rejection?.code == "overexposed" && judged[4].isAccepted)
  }

  /// Sand at twice the exposure is not white, but has hardly any detail where red and green are clipped.
  @Test func aFrameThatClipsColoursIsNotBlurred() async throws {
    var shots = shots()
    shots[4].blur = 8
    for i in shots.indices { shots[i].noise = 0.3 }
    let frames = try describe(shots)
    var found = try await Registrar().register(frames, reference: 1, threads: 2)
    #expect(try SharpnessRule().apply(to: found, frames: frames, reference: 1)[4].rejection?.code == "blurred")
    found[4] = found[4].with {
      $0.photometric.channels[0].gain = 0.5
      $0.photometric.doubt = SmoothField(columns: 2, rows: 2, size: frames[1].size) { _ in 1 }
      $0.photometric.clippedShare = 0.7
    }
    #expect(try SharpnessRule().apply(to: found, frames: frames, reference: 1)[4].isAccepted)
    #expect(try ExposureRule().apply(to: found, frames: frames, reference: 1)[4].isAccepted)
    // So little is left that their light can hardly be matched, unless both clip it.
    found[4] = found[4].with { $0.photometric.clippedShare = 0.8 }
    #expect(try ExposureRule().apply(to: found, frames: frames, reference: 1)[4].rejection?.code == "overexposed")
    found[4] = found[4].with { $0.photometric.channels[0].gain = 0.9 }
    #expect(try ExposureRule().apply(to: found, frames: frames, reference: 1)[4].isAccepted)
  }

  @Test func exposureHasItsOwnWords() async throws {
    var shots = shots()
    (shots[0].gain, shots[3].gain) = (8, 0.1)
    shots[4].noise = 40
    let frames = try describe(shots)
    var found = (0..<5).map { _ in FrameOutcome.accepted(Alignment.reference(planes: 1)) }
    found[0] = found[0].with { $0.photometric.channels[0].gain = 0.125 }
    found[3] = found[3].with { $0.photometric.channels[0].gain = 10 }
    var rule = ExposureRule()
    rule.leastFrames = 2
    let judged = try rule.apply(to: found, frames: frames, reference: 2)
    let codes = judged.map(\.rejection?.code)
    #expect(codes[0] == "overexposed" && codes[1] == nil && codes[2] == nil && codes[3] == "underexposed")
    #expect(judged[4].noise > 2, "\(judged[4].noise)")
    rule.leastFrames = 4
    #expect(try rule.apply(to: found, frames: frames, reference: 2).allSatisfy { $0.isAccepted })
  }
}

/// What becomes of a frame that was placed once more, on a picture that shows more of what people hide.
@Suite struct SecondOpinions {
  private func placed(x: Double, inliers: Int, repeats: Bool = false, isUnsure: Bool = false) -> PlacedFrame {
    var alignment = Alignment.reference(planes: 1)
    alignment.homography = .translation(x: x, y: 0)
    alignment.inliers = inliers
    alignment.isSmallestOfEqual = repeats
    alignment.isUnsure = isUnsure
    return PlacedFrame(outcome: .accepted(alignment), candidates: [], isDoubtful: false, support: 0.5)
  }

  private func opinion(of second: PlacedFrame, on first: PlacedFrame, settled: PlacedFrame? = nil) -> SecondOpinion {
    Registrar().opinion(of: second, on: first, settled: (settled ?? first).outcome, size: Scenes.size)
  }

  @Test func ofTwoThatSayTheSameTheOneWithManyMoreCornersCounts() throws {
    let first = placed(x: 3, inliers: 200, repeats: true)
    guard case .confirms = opinion(of: placed(x: 3.05, inliers: 290), on: first) else {
      Issue.record("hardly more corners do not outweigh what the consensus is off")
      return
    }
    guard case .corrects(let outcome) = opinion(of: placed(x: 3.05, inliers: 310), on: first) else {
      Issue.record("many more corners count")
      return
    }
    #expect(outcome.homography == .translation(x: 3.05, y: 0) && outcome.inliers == 310)
    // The reference repeats itself, whatever the consensus does.
    #expect(outcome.value?.isSmallestOfEqual == true)
  }

  @Test func whoeverIsFurtherAwayIsNoMoreExact() {
    guard case .confirms = opinion(of: placed(x: 3.2, inliers: 900), on: placed(x: 3, inliers: 200)) else {
      Issue.record("the consensus may be off itself")
      return
    }
  }

  /// People who stay before a plain wall stand in the other picture as well.
  @Test func noLookTakesBackThatOnlyPeopleMaySayIt() throws {
    let first = placed(x: 3, inliers: 200, isUnsure: true)
    for second in [placed(x: 3.05, inliers: 310), placed(x: 9, inliers: 310)] {
      guard case .corrects(let outcome) = opinion(of: second, on: first) else {
        Issue.record("the second look is not in doubt")
        return
      }
      #expect(outcome.homography == second.outcome.homography && outcome.value?.isUnsure == true)
    }
  }

  @Test func soItDoesWhereBothDifferFromWhatNeighboursSaid() throws {
    let (first, settled) = (placed(x: 3, inliers: 200), placed(x: 40, inliers: 200))
    for (inliers, x) in [(210, 3.0), (310, 3.05)] {
      guard case .corrects(let outcome) = opinion(of: placed(x: 3.05, inliers: inliers), on: first, settled: settled)
      else {
        Issue.record("both looks say the same")
        return
      }
      #expect(outcome.homography == .translation(x: x, y: 0))
    }
  }
}
