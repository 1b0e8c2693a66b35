import Foundation
import Frames

/// A brightness at every place of the reference, smooth enough to be sampled anywhere; about 0...255.
typealias Texture = @Sendable (_ x: Double, _ y: Double) -> Double

/// What a frame shows at one of its pixels instead of the still scene; nil where the scene is seen.
typealias Mover = @Sendable (_ x: Double, _ y: Double) -> Double?

/// A small deterministic generator (SplitMix64; Steele et al., OOPSLA 2014).
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Generator.mixed(state)
  }

  static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

enum Scenes {
  static let size = Size(width: 640, height: 480)

  /// Patches of random brightness with fine grain: corners everywhere.
  static func textured(seed: UInt64) -> Texture {
    { x, y in
      let patches = smoothNoise(x / 23, y / 23, seed: seed) > 0.5 ? 60.0 : 0
      let soft = smoothStep((smoothNoise(x / 31, y / 31, seed: seed &+ 1) - 0.5) * 6 + 0.5) * 70
      return 40 + soft + patches * smoothStep((smoothNoise(x / 23, y / 23, seed: seed) - 0.5) * 8)
        + 50 * smoothNoise(x / 7, y / 7, seed: seed &+ 2)
    }
  }

  /// Equal windows in equal rows, and a little that tells them apart.
  static func facade(period: Double, detail: Double) -> Texture {
    let unique = textured(seed: 77)
    return { x, y in
      func bump(_ t: Double) -> Double {
        let u = t / period - (t / period).rounded(.down)
        return smoothStep((0.28 - abs(u - 0.5)) * 14 + 0.5)
      }
      return 150 - 100 * bump(x) * bump(y) + detail * (unique(x, y) - 110)
    }
  }

  /// Nothing but a soft gradient, but for `texture` within a disc.
  static func sky(textureWithin radius: Double, of centre: Point) -> Texture {
    let texture = textured(seed: 5)
    return { x, y in
      let distance = Point(x: x, y: y).distance(to: centre)
      let share = smoothStep((radius - distance) / 8 + 0.5)
      return (1 - share) * (150 + y / 10) + share * texture(x, y)
    }
  }

  /// Values 0...1, random on integers, smoothly blended between.
  static func smoothNoise(_ x: Double, _ y: Double, seed: UInt64) -> Double {
    let (fx, fy) = (x.rounded(.down), y.rounded(.down))
    let (u, v) = (smoothStep(x - fx), smoothStep(y - fy))
    func at(_ i: Double, _ j: Double) -> Double {
      let key = UInt64(bitPattern: Int64(i)) &* 0x1f12_3bb5 &+ UInt64(bitPattern: Int64(j)) &* 0x5_9d2f_1d3b &+ seed
      return Double(Generator.mixed(key) >> 40) / Double(1 << 24)
    }
    return (at(fx, fy) * (1 - u) + at(fx + 1, fy) * u) * (1 - v) + (at(fx, fy + 1) * (1 - u) + at(fx + 1, fy + 1) * u)
      * v
  }

  static func smoothStep(_ t: Double) -> Double {
    let t = min(max(t, 0), 1)
    return t * t * (3 - 2 * t)
  }
}

/// How a frame of a scene is taken.
struct Shot {
  /// Frame pixel to reference pixel.
  var place: @Sendable (Point) -> Point
  var size = Scenes.size
  var gain = 1.0
  var offset = 0.0
  /// Standard deviation of the noise, in levels.
  var noise = 2.0
  var seed: UInt64 = 1
  /// Half the side of the box that the picture is blurred by, in pixels.
  var blur = 0
  /// Seen instead of the scene; frame pixels.
  var mover: Mover?

  init(_ homography: Homography = .identity) { place = { homography($0) } }
  init(place: @Sendable @escaping (Point) -> Point) { self.place = place }

  func frame(of texture: Texture) -> Frame {
    var values = [Double](repeating: 0, count: size.area)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (px, py) = (Double(x), Double(y))
        let p = place(Point(x: px, y: py))
        values[y * size.width + x] = mover?(px, py) ?? texture(p.x, p.y)
      }
    }
    if blur > 0 { values = blurredAlongRows(values) }
    var generator = Generator(seed: seed)
    for i in values.indices {
      // Four uniform numbers make a passable normal one, of variance 1/3.
      let bits = generator.next()
      let sum = (0..<4).reduce(0.0) { $0 + Double((bits >> (16 * UInt64($1))) & 0xffff) / 65536 } - 2
      values[i] = values[i] * gain + offset + noise * sum * 3.squareRoot()
    }
    let samples = values
    let width = size.width
    let plane = try! Plane(width: size.width, height: size.height) { x, y in Int(samples[y * width + x].rounded()) }
    return Frame(planes: [plane], encoding: .grey(.full), name: "rendered")
  }

  private func blurredAlongRows(_ values: [Double]) -> [Double] {
    var result = values
    for y in 0..<size.height {
      for x in 0..<size.width {
        let columns = max(0, x - blur)...min(size.width - 1, x + blur)
        result[y * size.width + x] = columns.reduce(0) { $0 + values[y * size.width + $1] } / Double(columns.count)
      }
    }
    return result
  }
}

/// The map, frame to reference, of a camera that turned by some degrees.
/// - Parameter focal: its focal length in widths.
func turned(
  yaw: Double = 0, pitch: Double = 0, roll: Double = 0, focal: Double = 0.72, size: Size = Scenes.size
) -> Homography {
  let focal = focal * Double(size.width)
  let (cx, cy) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
  let (a, b, c) = (yaw * .pi / 180, pitch * .pi / 180, roll * .pi / 180)
  let rows: [[Double]] = [
    [cos(c) * cos(a), -sin(c), cos(c) * sin(a)],
    [sin(c) * cos(a) + sin(b) * sin(a), cos(c) * cos(b), sin(c) * sin(a) - sin(b) * cos(a)],
    [-sin(a) * cos(b), sin(b), cos(a) * cos(b)],
  ]
  let rotation = Homography(elements: rows.flatMap(\.self))!
  let camera = Homography(focal, 0, cx, 0, focal, cy, 0, 0)
  let normal = Homography(1 / focal, 0, -cx / focal, 0, 1 / focal, -cy / focal, 0, 0)
  return composed(camera, composed(rotation, normal))
}

/// The map that applies `b` first and then `a`.
func composed(_ a: Homography, _ b: Homography) -> Homography {
  let product: Homography? = a * b
  return product!
}
