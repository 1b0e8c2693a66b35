import CShimKernels
import Foundation
import Frames
import Testing

/// The kernel against a plain cubic in double precision.
struct WarpTests {
  /// White noise over the whole range: as steep as pictures get.
  static func noise(_ width: Int, _ height: Int, bits: Int) throws -> Plane {
    try Plane(width: width, height: height, bits: bits) { x, y in
      var z = UInt64(truncatingIfNeeded: y &* 65_537 &+ x) &* 0x9e37_79b9_7f4a_7c15
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      return Int(truncatingIfNeeded: (z ^ (z >> 27)) >> 40) & ((1 << bits) - 1)
    }
  }

  /// Soft waves, on which a small error of position makes a small error of level.
  static func waves(_ width: Int, _ height: Int, bits: Int) throws -> Plane {
    let half = Double(1 << (bits - 1))
    return try Plane(width: width, height: height, bits: bits) { x, y in
      Int(half * (1 + 0.4 * sin(Double(x) / 6) + 0.4 * sin(Double(y) / 8)))
    }
  }

  struct Errors {
    var largest = 0.0, sum = 0.0, signed = 0.0, count = 0
    var mean: Double { sum / Double(max(count, 1)) }
    var bias: Double { signed / Double(max(count, 1)) }
  }

  /// Errors against the exact level, with half a level for rounding included.
  static func compare(_ model: WarpModel, _ result: WarpResult, margin: Double = -1) -> Errors {
    var errors = Errors()
    for y in result.region.y..<result.region.maxY {
      for x in result.spans[y - result.region.y] where model.margin(model.position(x, y)) > margin {
        let error = Double(result.sample(x, y)) - model.level(x, y)
        errors.largest = max(errors.largest, abs(error))
        errors.sum += abs(error)
        errors.signed += error
        errors.count += 1
      }
    }
    return errors
  }

  /// Affine maps, between whose nodes interpolation is exact, so that only the arithmetic can err.
  static let affine: [(String, Homography)] = [
    ("part of a sample", .translation(x: 3.3, y: -2.6)),
    ("half a sample", .translation(x: 0.5, y: 0.5)),
    ("roll 0.8", rotation(0.8)), ("roll -3", rotation(-3)), ("roll 4", rotation(4)), ("roll 6", rotation(6)),
    ("roll -7", rotation(-7)),
    ("roll -20", rotation(-20)),
    ("roll 90", rotation(90)), ("roll 180", rotation(180)),
    ("a little larger", Homography(0.9, 0.05, 9, 0.02, 0.91, 7, 0, 0)),
    ("a little smaller", Homography(1.1, 0.01, -9, 0.09, 1.1, -17, 0, 0)),
    ("larger", Homography(0.5, 0, 10.2, 0, 0.5, 7.7, 0, 0)), ("smaller", Homography(2, 0.1, -9.4, -0.1, 2, 8, 0, 0)),
    ("mirrored", Homography(-1, 0, 220.4, 0, 1, 0.3, 0, 0)), ("sheared", Homography(1, 0.06, -3, 0.05, 1.02, 1, 0, 0)),
  ]

  /// About the middle of 240 x 200 samples, in degrees.
  static func rotation(_ degrees: Double) -> Homography {
    let radians = degrees * .pi / 180
    let (c, s) = (cos(radians), sin(radians))
    return Homography(c, -s, 119.5 - c * 119.5 + s * 99.5, s, c, 99.5 - s * 119.5 - c * 99.5, 0, 0)
  }

  /// As bright as matched exposures may make a dark frame, the field's factor included.
  @Test(arguments: [8, 10, 16], [9.5, 20, 32.0]) func largeGainsDoNotOverflow(bits: Int, gain: Double) throws {
    let noise = try Self.noise(240, 200, bits: bits)
    let dark = try Plane(width: 240, height: 200, bits: bits) { x, y in noise[x, y] / 40 }
    let size = Size(width: 240, height: 200)
    for gains in [nil, SmoothField(columns: 3, rows: 3, size: size, values: (0..<9).map { 1 - 0.02 * Float($0) })] {
      var model = WarpModel(dark, .translation(x: 3.3, y: -2.6))
      (model.gain, model.gains) = (gain, gains)
      let errors = Self.compare(model, model.render(Region(x: 0, y: 0, width: 240, height: 200)))
      // What arithmetic adds to a level is multiplied, beside what rounding takes.
      let level = Double(1 << (bits - 8))
      #expect(errors.largest < (1 + gain / 12) * level, "\(errors)")
      #expect(abs(errors.bias) < level, "\(errors)")
    }
  }

  @Test(arguments: [8, 10, 16], affine.indices)
  func isWithinALevelOfTheExactCubic(bits: Int, map: Int) throws {
    let plane = try Self.noise(240, 200, bits: bits)
    for (gain, offset, pivot) in [(1.0, 0.0, 0.0), (0.82, 3.4, 0), (1.37, -2.25, 128), (1.9, 1.5, 0)] {
      var model = WarpModel(plane, Self.affine[map].1)
      (model.gain, model.offset, model.pivot) = (gain, offset, pivot)
      for kernel in [CS_WARP_SHARP, CS_WARP_EXACT] {
        model.kernel = kernel
        let errors = Self.compare(model, model.render(Region(x: 0, y: 0, width: 240, height: 200)))
        #expect(errors.count > 5000, "\(Self.affine[map].0)")
        // Half a level is rounding; the rest is all that arithmetic may add, before and after it.
        #expect(errors.largest < 1, "\(Self.affine[map].0), gain \(gain)")
        #expect(errors.mean < 0.28 && abs(errors.bias) < 0.045, "\(Self.affine[map].0), gain \(gain): \(errors)")
      }
    }
  }

  /// What a camera of focal length 0.72 widths shows of 4032 x 3024 pixels after it was turned, in degrees.
  static func camera(yaw: Double, pitch: Double, roll: Double) -> Homography? {
    let (y, p, r) = (yaw * .pi / 180, pitch * .pi / 180, roll * .pi / 180)
    let (f, cx, cy) = (0.72 * 4032, 2015.5, 1511.5)
    func map(_ e: [Double]) -> Homography? { Homography(elements: e) }
    let factors = [
      map([f, 0, cx, 0, f, cy, 0, 0, 1]), map([cos(y), 0, sin(y), 0, 1, 0, -sin(y), 0, cos(y)]),
      map([1, 0, 0, 0, cos(p), -sin(p), 0, sin(p), cos(p)]), map([cos(r), -sin(r), 0, sin(r), cos(r), 0, 0, 0, 1]),
      map([1 / f, 0, -cx / f, 0, 1 / f, -cy / f, 0, 0, 1]),
    ]
    return factors.reduce(Homography.identity as Homography?) { product, factor in
      product.flatMap { product in factor.flatMap { product * $0 } }
    }
  }

  @Test(arguments: [8, 16], [(0.6, 0.6, 0.8), (4, 3, 1), (-4, 4, -5)])
  func homographiesAreFollowed(bits: Int, turn: (Double, Double, Double)) throws {
    let map = try #require(Self.camera(yaw: turn.0, pitch: turn.1, roll: turn.2))
    // A window of the picture near one of its corners, where perspective bends most.
    let middle = map(Point(x: 3800, y: 2800))
    var model = WarpModel(try Self.waves(600, 500, bits: bits), map)
    model.sourceGrid = PlaneGrid(
      scaleX: 1, scaleY: 1, offsetX: middle.x.rounded() - 300, offsetY: middle.y.rounded() - 250)
    model.destinationGrid = PlaneGrid(scaleX: 1, scaleY: 1, offsetX: 3550, offsetY: 2600)
    let errors = Self.compare(model, model.render(Region(x: 0, y: 0, width: 500, height: 400)))
    #expect(errors.count > 150_000)
    // The waves' slopes are at most 1/15 and 1/20 of half the range; positions may err by 0.01 samples.
    let fromPosition = 0.01 * Double(1 << (bits - 1)) * (1.0 / 15 + 1.0 / 20)
    #expect(errors.largest < 0.6 + fromPosition, "\(errors)")
    #expect(abs(errors.bias) < 0.02 + fromPosition / 4, "\(errors)")
  }

  @Test(arguments: [8, 16])
  func fieldsAreFollowed(bits: Int) throws {
    // The fields' nodes are multiples of 16 apart, so that their kinks lie on the kernel's own lattice.
    let size = Size(width: 401, height: 289)
    var model = WarpModel(try Self.noise(401, 289, bits: bits), Homography(1.01, 0.01, -3, -0.01, 1.01, 2, 0, 0))
    let wave: (Int, Int) -> Float = { i, k in Float((i * k) % 11) / 5 - 1 }
    model.shiftX = SmoothField(columns: 6, rows: 4, size: size, values: (0..<24).map { wave($0, 7) })
    model.shiftY = SmoothField(columns: 6, rows: 4, size: size, values: (0..<24).map { wave($0, 3) })
    model.gains = SmoothField(columns: 6, rows: 7, size: size, values: (0..<42).map { 1 + 0.1 * wave($0, 5) })
    model.offsets = SmoothField(
      columns: 6, rows: 4, size: size, values: (0..<24).map { Float(12 << (bits - 8)) * wave($0, 9) })
    (model.gain, model.pivot, model.offset) = (1.1, 128, 0.5)
    let errors = Self.compare(model, model.render(Region(x: 0, y: 0, width: 401, height: 289)))
    #expect(errors.count > 100_000)
    #expect(errors.largest < 1 && errors.mean < 0.28 && abs(errors.bias) < 0.02, "\(errors)")
  }

  /// On a slope a kernel that is exact for straight lines says where a sample lies, and the sharper one is off.
  @Test func theExactKernelMovesNothing() throws {
    let slope = try Plane(width: 64, height: 32, bits: 16) { x, _ in 512 * x }
    func error(_ kernel: cs_warp_kernel) -> Int {
      var model = WarpModel(slope, .translation(x: 0.25, y: 0))
      model.kernel = kernel
      let result = model.render(Region(x: 8, y: 8, width: 48, height: 16))
      return (8..<56).map { abs(result.sample($0, 12) - (512 * $0 + 128)) }.max()!
    }
    #expect(error(CS_WARP_EXACT) <= 1)
    #expect(error(CS_WARP_SHARP) > 20)
  }

  @Test(arguments: [8, 16])
  func wholeShiftsAreCopies(bits: Int) throws {
    let plane = try Self.noise(150, 70, bits: bits)
    for (dx, dy) in [(0, 0), (5, -3), (-64, 32), (149, 69), (200, 0)] {
      for offset in [0, 1e-6] {
        // The tiny offset keeps the kernel from taking its short cut; the bytes must not differ.
        var model = WarpModel(plane, .translation(x: Double(dx), y: Double(dy)))
        model.offset = offset
        let result = model.render(Region(x: 0, y: 0, width: 150, height: 70))
        for y in 0..<70 {
          let covered = (0..<150).filter { (0..<150).contains($0 + dx) && (0..<70).contains(y + dy) }
          #expect(Array(result.spans[y]) == covered)
          #expect(covered.allSatisfy { result.sample($0, y) == plane[$0 + dx, y + dy] })
        }
      }
    }
  }

  @Test(arguments: [8, 16])
  func offsetsChangeWhatIsOnlyShifted(bits: Int) throws {
    let plane = try Plane(width: 64, height: 48, bits: bits) { x, y in 40 + (x + y) % 100 }
    var model = WarpModel(plane, .identity)
    model.offsets = SmoothField(columns: 2, rows: 2, size: Size(width: 64, height: 48), values: [3, 3, 3, 3])
    let result = model.render(Region(x: 0, y: 0, width: 64, height: 48))
    #expect(result.samples.enumerated().allSatisfy { $1 == plane[$0 % 64, $0 / 64] + 3 })
  }

  @Test(arguments: [8, 16], [Size(width: 1, height: 1), Size(width: 3, height: 2), Size(width: 17, height: 1)])
  func tinyPlanesWork(bits: Int, size: Size) throws {
    let plane = try Self.noise(size.width, size.height, bits: bits)
    for map in [Homography.identity, .translation(x: 0.3, y: -0.4), Homography(0.2, 0.01, 0, 0.02, 0.1, 0.1, 0, 0)] {
      let model = WarpModel(plane, map)
      let result = model.render(Region(x: 0, y: 0, width: 40, height: 20))
      #expect(result.coverage == CS_WARP_PARTLY_COVERED)
      #expect(Self.compare(model, result).largest < 1)
    }
  }

  @Test func chromaLiesWhereItsGridsSay() throws {
    // A ramp in luma coordinates; the source is sited as in JPEG, the destination as in video.
    let plane = try Plane(width: 200, height: 150, bits: 16) { x, y in 100 * (2 * x) + 50 + 20 * y }
    var model = WarpModel(plane, .translation(x: 1.25, y: 2))
    model.sourceGrid = PlaneGrid(scaleX: 2, scaleY: 2)
    model.destinationGrid = PlaneGrid(scaleX: 2, scaleY: 2, offsetX: 0, offsetY: 0.5)
    let result = model.render(Region(x: 10, y: 10, width: 100, height: 100))
    // Luma x 2 * 60 + 1.25 and y 2 * 50 + 0.5 + 2, on the plane's 100 a luma pixel and 10 a luma pixel.
    #expect(abs(Double(result.sample(60, 50)) - (100 * 121.25 + 10 * 102)) < 8)
    #expect(Self.compare(model, result).largest < 1)
  }
}
