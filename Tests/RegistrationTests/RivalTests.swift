import Foundation
import Frames
import Testing

@testable import Registration

/// Scenes that mislead: what repeats, what is faint, and people who are all there is to see.
@Suite struct Rivals {
  private static let period = 32.0
  /// Of a frame of 480 by 640 pixels.
  private static let toTheRight = Homography(0, 1, 0, -1, 0, 479, 0, 0)
  private static let toTheLeft = Homography(0, -1, 639, 1, 0, 0, 0, 0)

  /// Equal windows, of which a share is of another brightness.
  private func windows(odd share: Double) -> Texture {
    { x, y in
      func bump(_ t: Double) -> Double {
        let u = t / Self.period - (t / Self.period).rounded(.down)
        return Scenes.smoothStep((0.28 - abs(u - 0.5)) * 14 + 0.5)
      }
      let (i, j) = ((x / Self.period).rounded(.down), (y / Self.period).rounded(.down))
      let key = UInt64(bitPattern: Int64(i)) &* 977 &+ UInt64(bitPattern: Int64(j)) &* 131_071
      let random = Double(Generator.mixed(key) >> 40) / Double(1 << 24)
      let glass = random < share ? 30 + 190 * Double(Generator.mixed(key &+ 5) >> 40) / Double(1 << 24) : 60
      return 165 + (glass - 165) * bump(x) * bump(y)
    }
  }

  /// People in front of the scene who walk to the right, and every third to the left, `step` pixels from frame to frame.
  private func walkers(_ count: Int, at step: Double) -> Mover {
    people(count, width: 34, height: 180) { k in
      Point(x: Double(k * 97 % 640) + (k % 3 == 2 ? -step : step), y: 250)
    }
  }

  /// People of a size whose top left corners are where `place` says.
  private func people(_ count: Int, width: Double, height: Double, at place: @escaping @Sendable (Int) -> Point)
    -> Mover
  {
    let clothes = Scenes.textured(seed: 3000)
    return { x, y in
      for k in 0..<count {
        let corner = place(k)
        if x > corner.x, x < corner.x + width, y > corner.y, y < corner.y + height {
          return clothes(x - corner.x + Double(k) * 300, y)
        }
      }
      return nil
    }
  }

  /// How a frame lies before which others stand than before the reference.
  private func placed(
    _ truth: Homography, of texture: @escaping Texture, noise: Double, movers: (reference: Mover, frame: Mover)
  ) throws -> FrameOutcome<Alignment> {
    var (shot, reference) = (Shot(truth), Shot())
    (shot.noise, reference.noise) = (noise, noise)
    (reference.mover, shot.mover) = movers
    return try registered(shot, of: texture, referenceShot: reference)
  }

  private func distance(_ alignment: FrameOutcome<Alignment>, _ truth: Homography) -> Double {
    alignment.homography.cornerDistance(to: truth, size: Scenes.size)
  }

  @Test(arguments: [(3.0, -2.0, 0.3), (-7.0, 5.0, -0.4), (0.0, 0.0, 0.0)])
  func whereAllWindowsAreEqualTheSmallestMotionIsRight(x: Double, y: Double, roll: Double) throws {
    let truth = composed(.translation(x: x, y: y), turned(roll: roll))
    let alignment = try registered(Shot(truth), of: windows(odd: 0))
    #expect(alignment.isAccepted)
    #expect(distance(alignment, truth) < 0.2)
    #expect(alignment.value?.isSmallestOfEqual == (roll != 0))
    let unequal = try registered(Shot(truth), of: windows(odd: 0.12))
    #expect(unequal.value?.isSmallestOfEqual == false)
  }

  /// People who walk by whole periods make their own motion look right, but only where they are.
  @Test(arguments: [1.0, 2, 4])
  func peopleDoNotDecideWhereAllWindowsAreEqual(periods: Double) throws {
    let truth = composed(.translation(x: 2, y: -3), turned(roll: 0.3))
    var (shot, reference) = (Shot(truth), Shot())
    reference.mover = walkers(4, at: 0)
    shot.mover = walkers(4, at: periods * Self.period)
    let alignment = try registered(shot, of: windows(odd: 0), referenceShot: reference)
    #expect(alignment.isAccepted)
    #expect(distance(alignment, truth) < 0.3)
  }

  /// Nor do many of them: they walk on the ground, and windows above are as right without them.
  @Test(arguments: [8, 10], [2.0, 3, 5])
  func aCrowdDoesNotDecideWhereAllWindowsAreEqual(count: Int, periods: Double) throws {
    let truth = composed(.translation(x: 2, y: -3), turned(roll: 0.3))
    var (shot, reference) = (Shot(truth), Shot())
    reference.mover = walkers(count, at: 0)
    shot.mover = walkers(count, at: periods * Self.period)
    let alignment = try registered(shot, of: windows(odd: 0), referenceShot: reference)
    #expect(alignment.isAccepted)
    #expect(distance(alignment, truth) < 0.3)
  }

  /// Seen at an angle, another window is no shift away.
  @Test(arguments: [
    (turned(yaw: 8), turned(yaw: 4, pitch: 2, roll: 2)),
    (turned(yaw: -10, pitch: 3), turned(yaw: -4, roll: -3)),
    (turned(), turned(yaw: 7, pitch: -4, roll: 5)),
    (turned(pitch: 9, roll: 2), turned(yaw: 3, pitch: 4, roll: -2)),
  ])
  func oddWindowsTellWhereAFacadeIsAtAnAngle(reference: Homography, frame: Homography) throws {
    let alignment = try registered(Shot(frame), of: windows(odd: 0.12), referenceShot: Shot(reference))
    #expect(alignment.isAccepted)
    #expect(distance(alignment, composed(reference.inverse!, frame)) < 0.3)
  }

  /// Equal windows fit a phone that is turned to the left as one that is turned to the right.
  @Test(arguments: [Self.toTheRight, Self.toTheLeft])
  func oddWindowsTellToWhichSideAFrameIsTurned(turn: Homography) throws {
    let truth = composed(turned(yaw: 1.5, pitch: -1), turn)
    var shot = Shot(truth)
    shot.size = Size(width: 480, height: 640)
    let windows = windows(odd: 0.12)
    let alignment = try registered(shot, of: { windows($0, 0.7 * $1) })
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: shot.size) < 0.3)
  }

  /// A frame that was taken upright shows more above and below than one across.
  @Test func aFrameOfTheOtherOrientationIsNoZoom() throws {
    let centred = Homography.translation(x: 80, y: -80)
    let upright = Size(width: 480, height: 640)
    #expect(MotionLimits().motion(of: centred, frame: upright, reference: Scenes.size) < 1e-9)
  }

  /// Windows that lie nearer are no reason to take them for those that are too far away.
  @Test func aFacadeThatIsTooFarAwayIsNotTakenSomeWindowsOff() throws {
    let truth = Homography.translation(x: 8.7 * Self.period, y: 2)
    let alignment = try registered(Shot(truth), of: windows(odd: 0.12))
    #expect(alignment.rejection?.code == "too-far-away")
  }

  @Test func aMotionByHalfAPeriodIsNotGuessed() throws {
    let alignment = try registered(Shot(.translation(x: Self.period / 2, y: 0)), of: windows(odd: 0))
    #expect(alignment.rejection == .repeating)
  }

  /// Where nothing fits, it is not that more than one place does.
  @Test(arguments: [8, 9, 10, 11]) func anotherSceneIsNotCalledRepeating(seed: UInt64) throws {
    let registrar = Registrar()
    let facade = try registrar.prepare(registrar.describe(Shot().frame(of: windows(odd: 0.12))))
    let other = try registrar.describe(Shot().frame(of: Scenes.textured(seed: seed)))
    let outcome = try registrar.search(other, facade).best()
    guard case .failure(.tooFewInliers) = outcome.result else {
      Issue.record("\(outcome.result)")
      return
    }
  }

  /// What people do between a frame and a neighbour is no word on which window is which.
  @Test func oneNeighbourDoesNotTellWhichWindowIsWhich() async throws {
    let registrar = Registrar()
    let frames = try [0, 0.2, 0.5].enumerated().map { index, move in
      var shot = Shot(.translation(x: move * Self.period, y: 0))
      shot.seed = UInt64(index + 1)
      shot.mover = walkers(6, at: 3 * Self.period * Double(index))
      return try registrar.describe(shot.frame(of: windows(odd: 0)))
    }
    let outcome = try await registrar.register(frames, reference: 0, threads: 1)[2]
    #expect(outcome.rejection == .repeating, "\(outcome.homography)")
  }

  @Test(arguments: [1, 2, 3, 5])
  func peopleDoNotDecideWhichWindowIsWhich(frame: Int) throws {
    let truth = turned(yaw: 0.25 * Double(frame), pitch: -0.2, roll: 0.3)
    var (shot, reference) = (Shot(truth), Shot())
    reference.mover = walkers(5, at: 0)
    shot.mover = walkers(5, at: Self.period * Double(frame))
    let alignment = try registered(shot, of: windows(odd: 0.12), referenceShot: reference)
    #expect(alignment.isAccepted)
    #expect(distance(alignment, truth) < 0.3)
  }

  @Test(arguments: [25.0, 60, -90])
  func peopleInFrontOfAFaintWallDoNotCarryItAway(step: Double) throws {
    let truth = turned(yaw: 0.4, pitch: 0.3, roll: -0.3)
    let wall: Texture = { x, y in 200 + 5 * (Scenes.smoothNoise(x / 11, y / 11, seed: 9) - 0.5) }
    // As little noise as is left of a large picture's when it has been reduced.
    let alignment = try placed(truth, of: wall, noise: 0.5, movers: (walkers(7, at: 0), walkers(7, at: step)))
    #expect(!alignment.isAccepted || distance(alignment, truth) < 2)
  }

  /// Features show nothing but people who walk in step; the wall's shades, which noise hides from features, show where it is.
  @Test(arguments: [(90.0, 12), (60.0, 8), (90.0, 8)])
  func aProcessionBeforeAFaintWallDoesNotCarryItAway(step: Double, count: Int) throws {
    let truth = turned(yaw: 0.3, pitch: 0.2, roll: -0.3)
    let wall: Texture = { x, y in 200 + 6 * (Scenes.smoothNoise(x / 11, y / 11, seed: 9) - 0.5) }
    func procession(at step: Double) -> Mover {
      people(count, width: 34, height: 150) { k in
        Point(x: Double(k * 97 % 640) + step, y: 230 + Double(k * 61 % 90))
      }
    }
    let alignment = try placed(truth, of: wall, noise: 1.5, movers: (procession(at: 0), procession(at: step)))
    #expect(!alignment.isAccepted || distance(alignment, truth) < 2)
  }

  /// Five who stay and sway before a wall whose shades noise hides from corners: a motion of their own, as small as a hand's,
  /// fits some of them exactly.
  @Test(arguments: [8.0, 14, -11])
  func peopleWhoSwayBeforeAFaintWallAreTold(sway: Double) throws {
    let truth = turned(yaw: 0.3, pitch: 0.2, roll: -0.3)
    let wall: Texture = { x, y in 200 + 6 * (Scenes.smoothNoise(x / 40, y / 40, seed: 9) - 0.5) }
    func swayers(by sway: Double) -> Mover {
      people(5, width: 50, height: 170) { k in
        // Three the same way, the others theirs.
        Point(x: Double(60 + k * 110) + sway * [1, 1, 1, -0.6, 0.3][k], y: 180 + Double(k * 61 % 90))
      }
    }
    let alignment = try placed(truth, of: wall, noise: 3, movers: (swayers(by: 0), swayers(by: sway)))
    #expect(!alignment.isAccepted || distance(alignment, truth) < 2 || alignment.value?.isUnsure == true)
  }

  /// Few corners are no doubt where nearly all of them agree.
  @Test func aLowBuildingBelowAClearSkyIsSure() throws {
    let truth = composed(.translation(x: 20, y: 4), turned(roll: 0.4))
    let building = Scenes.textured(seed: 33)
    let sky: Mover = { _, y in y > 330 ? nil : 220 }
    let alignment = try placed(truth, of: building, noise: 2, movers: (sky, sky))
    #expect(distance(alignment, truth) < 0.3 && alignment.value?.isUnsure == false)
  }

  /// Clouds that drift above a building are no people in step: the frame stays with the building.
  @Test(arguments: [15.0, -35])
  func cloudsDoNotKeepAFrameOut(drift: Double) throws {
    let truth = composed(.translation(x: 30, y: 4), turned(roll: 0.4))
    let building = Scenes.textured(seed: 33)
    func clouds(at shift: Double) -> Mover {
      { x, y in y > 230 ? nil : 190 + 12 * (Scenes.smoothNoise((x + shift) / 14, y / 14, seed: 4) - 0.5) }
    }
    let alignment = try placed(truth, of: building, noise: 1, movers: (clouds(at: 0), clouds(at: drift)))
    #expect(alignment.isAccepted)
    #expect(distance(alignment, truth) < 0.3)
  }

  @Test(arguments: [14.0, -14])
  func turningToTheLeftIsJudgedAsTurningToTheRight(yaw: Double) throws {
    let truth = turned(yaw: yaw)
    #expect(MotionLimits().rejection(of: truth, frame: Scenes.size, reference: Scenes.size) == nil)
    let alignment = try registered(Shot(truth), of: Scenes.textured(seed: 31))
    #expect(alignment.isAccepted)
    #expect(distance(alignment, truth) < 0.2)
  }

  @Test func tooMuchPerspectiveIsRefusedAtWhicheverEnd() {
    for yaw in [20.0, -20] {
      let why = MotionLimits().rejection(of: turned(yaw: yaw), frame: Scenes.size, reference: Scenes.size)
      #expect(why != nil)
    }
  }

  /// The camera was turned, and the file does not say so.
  @Test(arguments: [Self.toTheRight, Self.toTheLeft])
  func aQuarterTurnIsTakenOutBeforeTheMotionIsJudged(turn: Homography) throws {
    let truth = composed(turned(yaw: 0.4, pitch: -0.3, roll: 0.5), turn)
    var shot = Shot(truth)
    shot.size = Size(width: 480, height: 640)
    let alignment = try registered(shot, of: Scenes.textured(seed: 32))
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: shot.size) < 0.2)
  }
}
