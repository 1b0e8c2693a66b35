import Foundation
import Frames
import Testing

@testable import Registration

/// Registers a shot of `texture` to an untouched one.
func registered(
  _ shot: Shot, of texture: @escaping Texture, referenceTexture: Texture? = nil, referenceShot: Shot = Shot(),
  registrar: Registrar = Registrar()
) throws -> FrameOutcome<Alignment> {
  var referenceShot = referenceShot
  referenceShot.seed = 99
  let reference = try registrar.prepare(registrar.describe(referenceShot.frame(of: referenceTexture ?? texture)))
  return try registrar.place(registrar.describe(shot.frame(of: texture)), planes: 1, on: reference).outcome
}

/// Distances, in pixels, between where an alignment and the truth take places spread over the reference.
func errors(
  _ alignment: FrameOutcome<Alignment>, truth: (Point) -> Point, places: [Point]? = nil, size: Size = Scenes.size
)
  -> [Double]
{
  let back = alignment.homography.inverse!
  var spread: [Point] = []
  for i in 0..<20 {
    for j in 0..<15 {
      let (x, y) = ((Double(i) + 0.5) / 20, (Double(j) + 0.5) / 15)
      spread.append(Point(x: x * Double(size.width), y: y * Double(size.height)))
    }
  }
  return (places ?? spread).map { p in
    let shift = alignment.mesh?(p) ?? Point(x: 0, y: 0)
    return truth(back(Point(x: p.x + shift.x, y: p.y + shift.y))).distance(to: p)
  }
}

@Suite struct Accuracy {
  @Test(arguments: [(0.6, -0.4, 0.8), (-1.2, 0.9, -1.5), (4.0, 0.0, 0.0), (-2.5, 2.5, 2.0)])
  func handheldMotionIsFoundToAFewHundredths(yaw: Double, pitch: Double, roll: Double) throws {
    let truth = turned(yaw: yaw, pitch: pitch, roll: roll)
    let alignment = try registered(Shot(truth), of: Scenes.textured(seed: 1))
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 0.08)
    #expect(alignment.mesh == nil, "nothing is left for a mesh")
  }

  @Test(arguments: [(2.0.squareRoot(), -6.0), (0.5.squareRoot(), 0.0)])
  func halfAStopOfExposureDoesNotMatter(gain: Double, offset: Double) throws {
    let truth = turned(yaw: 0.5, pitch: 0.3, roll: -0.6)
    var shot = Shot(truth)
    shot.gain = gain
    shot.offset = offset
    let alignment = try registered(shot, of: Scenes.textured(seed: 2))
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 0.08)
  }

  @Test func noiseOfTheNightDoesNotMatter() throws {
    let truth = turned(yaw: -0.5, pitch: 0.2, roll: 0.4)
    var (shot, reference) = (Shot(truth), Shot())
    (shot.gain, reference.gain) = (0.3, 0.3)
    (shot.noise, reference.noise) = (8, 8)
    let alignment = try registered(shot, of: Scenes.textured(seed: 3), referenceShot: reference)
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 0.5)
  }

  @Test func anotherResolutionOfTheSceneRegisters() throws {
    let half = Size(width: 320, height: 240)
    let toFull = Homography(2, 0, 0.5, 0, 2, 0.5, 0, 0)
    let truth = composed(turned(yaw: 0.4, roll: 0.5), toFull)
    var shot = Shot(truth)
    shot.size = half
    let alignment = try registered(shot, of: Scenes.textured(seed: 4))
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: half) < 0.4)
  }
}

@Suite struct Movers {
  /// Squares of other texture over `share` of the frame, each going its own way.
  private func crowd(share: Double, seed: UInt64) -> Mover {
    let texture = Scenes.textured(seed: 1000)
    return { x, y in
      let (i, j) = ((x / 80).rounded(.down), (y / 80).rounded(.down))
      let key = UInt64(i * 31 + j)
      let isCovered = Double((UInt64(i) * 7 + UInt64(j) * 3) % 10) < share * 10
      let shift = Double(Generator.mixed(key &* 977 &+ seed) % 200)
      return isCovered ? texture(x + 37 * shift, y - 23 * shift) : nil
    }
  }

  @Test func sixtyPercentOfTheFrameMayMove() throws {
    let truth = turned(yaw: 0.6, pitch: -0.3, roll: 0.7)
    var (shot, reference) = (Shot(truth), Shot())
    shot.mover = crowd(share: 0.6, seed: 1)
    reference.mover = crowd(share: 0.6, seed: 2)
    let alignment = try registered(shot, of: Scenes.textured(seed: 6), referenceShot: reference)
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 0.2)
  }

  /// A bus: the right two fifths of the picture, the same in both frames but for its motion.
  private func bus(at x0: Double, width: Double) -> Mover {
    let texture = Scenes.textured(seed: 2000)
    return { x, y in x > x0 && x < x0 + width && y > 20 && y < 460 ? texture(x - x0, y) : nil }
  }

  @Test func aBusOfFortyPercentDoesNotWin() throws {
    let truth = turned(yaw: 0.5, pitch: 0.4, roll: -0.5)
    var (shot, reference) = (Shot(truth), Shot())
    shot.mover = bus(at: 300, width: 280)
    reference.mover = bus(at: 320, width: 280)
    let alignment = try registered(shot, of: Scenes.textured(seed: 7), referenceShot: reference)
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 0.2)
    let shifts = alignment.mesh.map { $0.dx.values + $0.dy.values } ?? []
    #expect(shifts.allSatisfy { abs($0) < 1 }, "the mesh must not follow the bus")
  }

  @Test(arguments: [2.0, 4.0, 12.0])
  func theMeshDoesNotFollowPeople(step: Double) throws {
    let homography = turned(yaw: 0.3, pitch: 0.2, roll: 0.4)
    // A rolling shutter, so that there is something for the mesh to do.
    let truth: @Sendable (Point) -> Point = { p in
      let q = homography(p)
      return Point(x: q.x + 1.5 * sin(p.y / 90), y: q.y)
    }
    let clothes = Scenes.textured(seed: 3000)
    func person(at x0: Double) -> Mover {
      { x, y in abs(x - x0) < 40 && abs(y - 300) < 130 ? clothes(x - x0, y) : nil }
    }
    var (shot, reference) = (Shot(place: truth), Shot())
    reference.mover = person(at: 330)
    // Where the still scene would have gone is where this person has not.
    shot.mover = person(at: 330 + step - (homography(Point(x: 330, y: 300)).x - 330))
    let alignment = try registered(shot, of: Scenes.textured(seed: 14), referenceShot: reference)
    #expect(alignment.isAccepted)
    var around: [Point] = []
    for y in stride(from: 180.0, to: 420, by: 20) { around += [Point(x: 270, y: y), Point(x: 395, y: y)] }
    let found = errors(alignment, truth: truth, places: around)
    #expect(percentile(found, 0.9) < 0.5, "next to the person: \(found)")
  }
}

@Suite struct Structure {
  @Test(arguments: [11.0, 26.0, 37.0])
  func aFacadeDoesNotLockOnePeriodOff(shift: Double) throws {
    let turn = turned(roll: 0.3)
    let truth = composed(.translation(x: shift, y: -shift / 3), turn)
    let alignment = try registered(Shot(truth), of: Scenes.facade(period: 40, detail: 0.15))
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 0.3)
  }

  /// Left of a soft seam the plane lies at the homography, right of it 6 pixels off.
  private func twoPlanes(_ homography: Homography) -> @Sendable (Point) -> Point {
    { p in
      let q = homography(p)
      return Point(x: q.x + 6 * Scenes.smoothStep((p.x - 400) / 40), y: q.y)
    }
  }

  @Test func oneOfTwoPlanesIsRegisteredWithoutAMesh() throws {
    let homography = turned(yaw: 0.3, roll: 0.4)
    let truth = twoPlanes(homography)
    let alignment = try registered(
      Shot(place: truth), of: Scenes.textured(seed: 8), registrar: Registrar(mesh: false))
    #expect(alignment.isAccepted)
    #expect(alignment.mesh == nil)
    let found = errors(alignment, truth: truth)
    #expect(percentile(found, 0.5) < 0.5, "more than half of the picture is the larger plane")
  }

  @Test func bothPlanesAreRegisteredWithAMesh() throws {
    let homography = turned(yaw: 0.3, roll: 0.4)
    let truth = twoPlanes(homography)
    let alignment = try registered(Shot(place: truth), of: Scenes.textured(seed: 8))
    #expect(alignment.isAccepted)
    let found = errors(alignment, truth: truth)
    #expect(percentile(found, 0.5) < 0.15)
    #expect(percentile(found, 0.75) < 0.3)
    #expect(percentile(found, 0.9) < 1.5, "the seam is narrower than a cell of the mesh")
  }

  @Test func theMeshFollowsARollingShutter() throws {
    let homography = turned(yaw: 0.3, pitch: 0.2, roll: 0.4)
    let truth: @Sendable (Point) -> Point = { p in
      let q = homography(p)
      return Point(x: q.x + 2.5 * sin(p.y / 70), y: q.y + 1.2 * cos(p.y / 90))
    }
    let alignment = try registered(Shot(place: truth), of: Scenes.textured(seed: 9))
    #expect(alignment.isAccepted && alignment.mesh != nil)
    let found = errors(alignment, truth: truth)
    #expect(percentile(found, 0.5) < 0.15)
    #expect(percentile(found, 0.9) < 0.4)
  }

  /// A homography that fits one side of a picture may leave hundredths of its width at the other.
  @Test func theMeshFollowsASideThatBendsFarOff() throws {
    let homography = turned(yaw: 0.3, roll: 0.4)
    let truth: @Sendable (Point) -> Point = { p in
      let q = homography(p)
      let beyond = max(p.x - 0.35 * Double(Scenes.size.width), 0) / (0.65 * Double(Scenes.size.width))
      return Point(x: q.x, y: q.y + 0.02 * Double(Scenes.size.width) * beyond * beyond)
    }
    let alignment = try registered(Shot(place: truth), of: Scenes.textured(seed: 21))
    #expect(alignment.isAccepted && alignment.mesh != nil)
    let found = errors(alignment, truth: truth)
    #expect(percentile(found, 0.9) < 0.4 && percentile(found, 1) < 1, "at its end, too")
  }

  @Test func littleTextureIsNotGivenPerspective() throws {
    let truth = Homography.translation(x: 14, y: -9)
    let texture = Scenes.sky(textureWithin: 70, of: Point(x: 200, y: 300))
    var limits = MotionLimits()
    limits.inliers = 12
    let alignment = try registered(Shot(truth), of: texture, registrar: Registrar(limits: limits))
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 1)
    #expect(alignment.homography.elements[6] == 0 && alignment.homography.elements[7] == 0)
  }
}

@Suite struct Refusals {
  private func rejection(_ shot: Shot, of texture: @escaping Texture, reference: Texture? = nil) throws -> Rejection? {
    let alignment = try registered(shot, of: texture, referenceTexture: reference)
    return alignment.rejection
  }

  @Test func aPanOfMoreThanAllowedIsRefused() throws {
    let why = try rejection(Shot(.translation(x: 380, y: 0)), of: Scenes.textured(seed: 10))
    #expect(["too-far-away", "too-few-inliers", "poor-spread"].contains(why?.code))
  }

  @Test func anotherSceneIsRefused() throws {
    let why = try rejection(Shot(), of: Scenes.textured(seed: 11), reference: Scenes.textured(seed: 12))
    #expect(why?.code == "too-few-inliers")
  }

  @Test func aPictureUpsideDownIsRefused() throws {
    let upsideDown = Homography(-1, 0, 639, 0, -1, 479, 0, 0)
    #expect(try rejection(Shot(upsideDown), of: Scenes.textured(seed: 13))?.code == "upside-down")
  }

  @Test func aBlankPictureHasNoFeatures() throws {
    var shot = Shot()
    shot.noise = 0
    #expect(try rejection(shot, of: { _, _ in 128 }, reference: Scenes.textured(seed: 1))?.code == "too-few-features")
  }

  @Test func onePixelIsRefused() throws {
    var shot = Shot()
    shot.size = Size(width: 1, height: 1)
    #expect(try rejection(shot, of: Scenes.textured(seed: 1))?.code == "too-few-features")
  }
}
