import Foundation
import Frames
import Testing

@testable import Registration

@Suite struct Photometry {
  private let texture = Scenes.textured(seed: 40)

  private func match(_ shot: Shot, reference: Shot = Shot(), truth: Homography) -> PhotometricMatch.Channel {
    let alignment = Alignment(homography: truth, photometric: .identity(planes: 1))
    return PhotometricMatcher().match(
      shot.frame(of: texture), to: reference.frame(of: texture), alignment: alignment
    ).channels[0]
  }

  /// A frame of luma, and of Cb and Cr for every other pixel of every other row.
  /// - Parameters:
  ///   - luma: by pixel.
  ///   - cb: by sample of chroma, as `cr`.
  private func colourFrame(
    _ size: Size, luma: (Int, Int) -> Int, cb: (Int, Int) -> Int, cr: (Int, Int) -> Int
  ) throws -> Frame {
    let half = PlaneGrid(scaleX: 2, scaleY: 2)
    return Frame(
      planes: [
        try Plane(width: size.width, height: size.height, value: luma),
        try Plane(width: size.width / 2, height: size.height / 2, value: cb),
        try Plane(width: size.width / 2, height: size.height / 2, value: cr),
      ], grids: [.full, half, half], encoding: .yCbCr(.bt601, .full), name: "rendered")
  }

  @Test(arguments: [(0.5.squareRoot(), 0.0), (1.3, 0.0), (0.9, 8.0), (1.0, 0.0), (0.11, 0.0)])
  func exposureIsUndone(gain: Double, offset: Double) {
    let truth = turned(yaw: 0.5, roll: 0.5)
    var shot = Shot(truth)
    (shot.gain, shot.offset) = (gain, offset)
    let channel = match(shot, truth: truth)
    for value in [60.0, 120, 180] {
      #expect(abs(channel.gain * (gain * value + offset) + channel.offset - value) < 0.6)
    }
  }

  /// A lit sign before the night, and a wall in fog: what a dark or flat place shows is noise, which is not alike in two
  /// frames and must not count as contrast that one of them lacks.
  @Test(arguments: [(true, 1.0), (true, 1.25), (false, 1.0), (false, 1.25)])
  func noiseIsNotContrast(isNight: Bool, gain: Double) {
    let night: @Sendable (Double, Double) -> Double = { x, y in
      let isLit = Int(y / 40) % 4 == 0 && Int(x / 4 + y / 6) % 2 == 0
      return isLit ? 170 : 2
    }
    let fog: @Sendable (Double, Double) -> Double = { x, y in 120 + 3 * Scenes.smoothNoise(x / 90, y / 90, seed: 3) }
    var (shot, reference) = (Shot(), Shot())
    (shot.gain, shot.noise, reference.noise) = (1 / gain, 8, 8)
    (shot.seed, reference.seed) = (5, 6)
    let scene = isNight ? night : fog
    let channel = PhotometricMatcher().match(
      shot.frame(of: scene), to: reference.frame(of: scene),
      alignment: Alignment(homography: .identity, photometric: .identity(planes: 1))
    ).channels[0]
    #expect(abs(channel.gain / gain - 1) < 0.05)
    #expect(abs(channel.gain * 120 / gain + channel.offset - 120) < 4)
  }

  @Test func clippedPlacesAreLeftOut() {
    var shot = Shot()
    (shot.gain, shot.noise) = (1.6, 1)
    #expect(abs(match(shot, truth: .identity).gain - 1 / 1.6) < 0.01)
  }

  @Test func moversOverSixtyPercentDoNotMatter() {
    var (shot, reference) = (Shot(), Shot())
    shot.gain = 0.8
    func crowd(_ seed: UInt64) -> Mover {
      { x, y in
        let (i, j) = (UInt64(x / 32), UInt64(y / 32))
        guard (i * 7 + j * 3) % 10 < 6 else { return nil }
        return Double(30 + Generator.mixed(i * 100 + j + seed * 10000) % 180)
      }
    }
    shot.mover = crowd(1)
    reference.mover = crowd(2)
    #expect(abs(match(shot, reference: reference, truth: .identity).gain - 1.25) < 0.02)
  }

  @Test func chromaIsMatchedAboutNeutral() throws {
    let size = Size(width: 320, height: 240)
    func frame(gain: Double, red: Double) throws -> Frame {
      func chroma(_ x: Int, _ y: Int, _ seed: UInt64, _ offset: Double) -> Int {
        let hue = Scenes.smoothNoise(Double(x) / 20, Double(y) / 20, seed: seed) - 0.5
        return Int((128 + gain * hue * 120 + offset).rounded())
      }
      return try colourFrame(
        size, luma: { x, y in Int((gain * texture(Double(x), Double(y))).rounded()) },
        cb: { x, y in chroma(x, y, 1, 0) }, cr: { x, y in chroma(x, y, 2, red) })
    }
    let alignment = Alignment(homography: .identity, photometric: .identity(planes: 3))
    let found = PhotometricMatcher().match(
      try frame(gain: 0.8, red: 6), to: try frame(gain: 1, red: 0), alignment: alignment)
    for channel in found.channels { #expect(abs(channel.gain - 1.25) < 0.02) }
    #expect(found.channels[0].pivot == 0 && found.channels[1].pivot == 128)
    #expect(abs(found.channels[1].offset) < 0.3)
    #expect(abs(found.channels[2].offset + 7.5) < 0.3)
  }

  /// Sand before which a few dark things lie: exposed for twice as long, red and green are clipped all over it, though luma
  /// is not.
  @Test func clippedColoursTellNoExposure() throws {
    let size = Size(width: 320, height: 240)
    func frame(exposure: Double) throws -> Frame {
      func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
        let isDark = (x / 40 + y / 40) % 3 == 0
        let light = texture(Double(x), Double(y)) / 255
        let dark = x / 20 % 2 == 0 ? [90.0, 60, 30] : [40, 60, 100]
        let colour = (isDark ? dark : [205, 180, 60]).map { min(exposure * $0 * (0.8 + 0.3 * light), 255) }
        let luma = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
        let samples = [luma, 128 + (colour[2] - luma) / 1.772, 128 + (colour[0] - luma) / 1.402]
        return Int(samples[plane].rounded())
      }
      return try colourFrame(
        size, luma: { sample(0, $0, $1) }, cb: { sample(1, 2 * $0, 2 * $1) }, cr: { sample(2, 2 * $0, 2 * $1) })
    }
    let found = PhotometricMatcher().match(
      try frame(exposure: 2), to: try frame(exposure: 1),
      alignment: Alignment(homography: .identity, photometric: .identity(planes: 3)))
    for channel in found.channels {
      #expect(abs(channel.gain - 0.5) < 0.02 && abs(channel.offset) < 1, "\(channel.gain) \(channel.offset)")
    }
  }

  @Test func darkCornersAreMatchedUnderShift() {
    @Sendable func vignette(_ p: Point) -> Double {
      let (u, v) = ((p.x - 319.5) / 400, (p.y - 239.5) / 400)
      return 1 - 0.4 * (u * u + v * v)
    }
    let truth = Homography.translation(x: 70, y: -30)
    let texture = texture
    let alignment = Alignment(homography: truth, photometric: .identity(planes: 1))
    func shot(_ map: Homography) -> Shot {
      var shot = Shot(map)
      shot.mover = { x, y in
        let p = map(Point(x: x, y: y))
        return texture(p.x, p.y) * vignette(Point(x: x, y: y))
      }
      return shot
    }
    let found = PhotometricMatcher().match(
      shot(truth).frame(of: texture), to: shot(.identity).frame(of: texture), alignment: alignment)
    guard let grid = found.channels[0].gains else {
      Issue.record("no field of gains")
      return
    }
    for j in 1..<grid.rows - 2 {
      for i in 2..<grid.columns {
        let p = Point(
          x: Double(i) / Double(grid.columns - 1) * 639, y: Double(j) / Double(grid.rows - 1) * 479)
        let needed = vignette(p) / vignette(truth.inverse!(p))
        let got = found.channels[0].gain * Double(grid.values[j * grid.columns + i])
        // An offset of its own takes a little of it at mid grey.
        #expect(abs(got + found.channels[0].offset / 120 - needed) < 0.03)
      }
    }
  }

  /// A scene, lit place by place and seen by a shot that lies on the reference.
  private func lit(
    _ scene: @escaping Texture, by light: @escaping @Sendable (Point) -> Double
  ) -> Frame {
    Shot().frame { x, y in scene(x, y) * light(Point(x: x, y: y)) }
  }

  /// What a match leaves of the light at places spread over the reference, at a brightness of 120: the worst, as a share.
  private func worst(
    _ channel: PhotometricMatch.Channel, against light: (Point) -> Double, within margin: Double = 40
  ) -> Double {
    var worst = 0.0
    for y in stride(from: margin, through: 480 - margin, by: 20) {
      for x in stride(from: margin, through: 640 - margin, by: 20) {
        let p = Point(x: x, y: y)
        let matched = channel.gain * (channel.gains?(p) ?? 1) * 120 * light(p) + channel.offset
        worst = max(worst, abs(matched / 120 - 1))
      }
    }
    return worst
  }

  /// Lamps that flicker, read row by row, and the shadow of a cloud.
  @Test(arguments: [true, false]) func lightThatChangesInPatchesIsMatchedThere(isFlicker: Bool) {
    let light: @Sendable (Point) -> Double = { p in
      isFlicker ? 1 + 0.1 * sin(2 * .pi * p.y / 200) : 1 - 0.2 / (1 + exp(-(p.x + p.y - 560) / 30))
    }
    let found = PhotometricMatcher().match(
      lit(texture, by: light), to: Shot().frame(of: texture),
      alignment: Alignment(homography: .identity, photometric: .identity(planes: 1)))
    #expect(worst(found.channels[0], against: light) < 0.04)
  }

  /// The sky's share of the light grew: no contrast.
  @Test func aBrighterSkyIsNotContrast() {
    let texture = texture
    let scene: Texture = { x, y in (y < 240 ? 150 : 50) + 0.3 * texture(x, y) }
    let light: @Sendable (Point) -> Double = { 1 + 0.15 * ($0.y - 240) / 240 }
    let found = PhotometricMatcher().match(
      lit(scene, by: light), to: Shot().frame(of: scene),
      alignment: Alignment(homography: .identity, photometric: .identity(planes: 1)))
    #expect(abs(found.channels[0].offset) < 4)
    #expect(worst(found.channels[0], against: light) < 0.06)
  }

  /// People close by in two thirds of both frames, in clothes of any brightness.
  @Test func patchesDoNotFollowPeople() {
    var (shot, reference) = (Shot(), Shot())
    func crowd(_ seed: UInt64) -> Mover {
      { x, y in
        let (i, j) = (UInt64(x / 90), UInt64(y / 150))
        guard (i * 7 + j * 3 + seed) % 3 < 2 else { return nil }
        return Double(60 + Generator.mixed(i * 100 + j + seed * 10000) % 140)
      }
    }
    (shot.mover, reference.mover) = (crowd(1), crowd(2))
    let found = PhotometricMatcher().match(
      shot.frame(of: texture), to: reference.frame(of: texture),
      alignment: Alignment(homography: .identity, photometric: .identity(planes: 1)))
    #expect(found.channels[0].gains == nil)
  }

  /// The colour of the light differs from left to right.
  @Test func changingColourIsMatchedPlaceByPlace() throws {
    func frame(_ tint: (Int) -> Double) throws -> Frame {
      let texture = texture
      func chroma(_ x: Int, _ y: Int, _ change: Double) -> Int {
        Int((128 + (texture(Double(2 * x), Double(2 * y)) - 120) / 6 + change).rounded())
      }
      return try colourFrame(
        Size(width: 640, height: 480), luma: { x, y in Int(texture(Double(x), Double(y))) },
        cb: { x, y in chroma(x, y, tint(2 * x)) }, cr: { x, y in chroma(x, y, 0) })
    }
    let alignment = Alignment(homography: .identity, photometric: .identity(planes: 3))
    let found = PhotometricMatcher().match(
      try frame { 8 * Double($0) / 640 }, to: try frame { _ in 0 }, alignment: alignment)
    let offsets = try #require(found.channels[1].offsets)
    for x in [40.0, 320, 600] {
      #expect(abs(offsets(Point(x: x, y: 200)) + found.channels[1].offset + 8 * x / 640) < 1)
    }
    #expect(found.channels[2].offsets == nil && found.channels[0].gains == nil)
  }

  /// People walk before the middle of both frames, and before the lower part of the reference some in dark coats stand side
  /// by side: by how much they differ from the pavement is no change of light.
  @Test func whoeverStandsInTheReferenceDoesNotTintTheOthers() throws {
    func frame(seed: UInt64, isCrowded: Bool) throws -> Frame {
      let texture = texture
      func walker(_ x: Int, _ y: Int, _ plane: UInt64) -> Int? {
        guard 160..<340 ~= y else { return nil }
        return Int(Generator.mixed(UInt64(x / 20 + 40 * (y / 60)) + 10_000 * seed + 100_000 * plane) % 160)
      }
      func isCoat(_ y: Int) -> Bool { isCrowded && y >= 340 }
      func chroma(_ x: Int, _ y: Int, _ index: UInt64, pavement: Int, coat: Int) -> Int {
        let hue = Int((texture(Double(2 * x), Double(2 * y)) - 120) / 20)
        if let walker = walker(2 * x, 2 * y, index) { return 108 + walker / 4 }
        return isCoat(2 * y) ? coat + hue : 2 * y >= 240 ? pavement + hue : 128 + hue
      }
      return try colourFrame(
        Size(width: 640, height: 480),
        luma: { x, y in
          walker(x, y, 0) ?? (isCoat(y) ? 30 + (x / 8 + y / 8) % 3 : Int(texture(Double(x), Double(y))))
        },
        cb: { x, y in chroma(x, y, 1, pavement: 118, coat: 128) },
        cr: { x, y in chroma(x, y, 2, pavement: 146, coat: 130) })
    }
    let alignment = Alignment(homography: .identity, photometric: .identity(planes: 3))
    let found = PhotometricMatcher().match(
      try frame(seed: 1, isCrowded: false), to: try frame(seed: 2, isCrowded: true), alignment: alignment)
    for channel in found.channels.dropFirst() {
      #expect(abs(channel.gain - 1) < 0.03)
      for y in stride(from: 20.0, to: 480, by: 40) {
        #expect(abs(channel.offset + (channel.offsets?(Point(x: 320, y: y)) ?? 0)) < 1)
      }
    }
  }

  @Test func evenlyLitFramesGetNoField() {
    let truth = turned(yaw: 2, roll: 1)
    let alignment = Alignment(homography: truth, photometric: .identity(planes: 1))
    var shot = Shot(truth)
    shot.gain = 0.8
    let found = PhotometricMatcher().match(
      shot.frame(of: texture), to: Shot().frame(of: texture), alignment: alignment)
    #expect(found.channels[0].gains == nil)
  }

  @Test func framesThatShareNothingAreLeftAsTheyAre() throws {
    let away = Homography.translation(x: 5000, y: 0)
    #expect(match(Shot(away), truth: away) == .identity)
    let colours = try colourFrame(
      Size(width: 640, height: 480), luma: { x, y in (x + y) % 200 }, cb: { x, _ in 100 + x % 50 },
      cr: { _, y in 100 + y % 50 })
    let neutral = PhotometricMatch.Channel(gain: 1, offset: 0, pivot: 128)
    let alignment = Alignment(homography: away, photometric: .identity(planes: 3))
    #expect(
      PhotometricMatcher().match(colours, to: colours, alignment: alignment).channels == [.identity, neutral, neutral])
  }
}
