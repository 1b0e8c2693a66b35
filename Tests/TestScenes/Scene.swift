import Foundation
public import Frames

/// A procedural place with texture at every scale, to be photographed by tests: nothing repeats, everything is known.
public struct Scene: Sendable {
  private let seed: UInt64

  public init(seed: UInt64 = 1) { self.seed = seed }

  /// A mover: a textured disc that hides the scene, in scene coordinates.
  public struct Figure: Sendable {
    public var x: Double
    public var y: Double
    public var radius: Double
    public var level: Double

    public init(x: Double, y: Double, radius: Double, level: Double = 20) {
      self.x = x
      self.y = y
      self.radius = radius
      self.level = level
    }

    /// Twenty who hide most of a picture of 640 x 480, in rows, each moved by the same from where he first stood.
    public static func crowd(movedBy step: Point) -> [Figure] {
      (0..<20).map { k in
        let x = (Double(k % 5) + 0.5) * 128 + 17 * sin(Double(7 * k))
        let y = (Double(k / 5) + 0.5) * 120 + 13 * cos(Double(5 * k))
        return Figure(x: x + step.x, y: y + step.y, radius: 60, level: 70 + Double(k * 37 % 60))
      }
    }
  }

  /// A photo whose pixel p shows the scene's point `camera(p)`, as Y, Cb, Cr at 4:2:0.
  /// - Parameters:
  ///   - camera: frame pixel to scene point; the scene is best within some thousand pixels of the origin.
  ///   - gain: exposure, a factor on luma.
  ///   - noise: standard deviation of a frame's own noise, in levels.
  public func photo(
    _ size: Size, camera: Homography = .identity, figures: [Figure] = [], gain: Double = 1, noise: Double = 0,
    noiseSeed: UInt64 = 0, name: String = "photo"
  ) throws -> Frame {
    let chroma = PlaneGrid(scaleX: 2, scaleY: 2)
    let chromaSize = chroma.planeSize(for: size)
    func scenePoint(_ x: Double, _ y: Double) -> Point { camera(Point(x: x, y: y)) }
    let luma = try Plane(width: size.width, height: size.height) { x, y in
      let p = scenePoint(Double(x), Double(y))
      var value = texture(p, octaves: 6, salt: 0)
      if let figure = figures.last(where: { hypot(p.x - $0.x, p.y - $0.y) < $0.radius }) {
        value = figure.level + 0.15 * texture(Point(x: p.x - figure.x, y: p.y - figure.y), octaves: 4, salt: 9)
      }
      let grain = noise == 0 ? 0 : noise * gaussian(UInt64(y) << 20 | UInt64(x), salt: noiseSeed &+ 77)
      return Int((value * gain + grain).rounded())
    }
    let planes = try [1, 2].map { salt in
      try Plane(width: chromaSize.width, height: chromaSize.height) { x, y in
        let p = scenePoint(2 * Double(x) + 0.5, 2 * Double(y) + 0.5)
        let hidden = figures.contains { hypot(p.x - $0.x, p.y - $0.y) < $0.radius }
        let value = hidden ? 128.0 : 98 + 60 * texture(p, octaves: 3, salt: UInt64(salt)) / 255
        return Int(value.rounded())
      }
    }
    return Frame(
      planes: [luma] + planes, grids: [.full, chroma, chroma], encoding: .yCbCr(.bt601, .full), name: name)
  }

  /// Value noise of several octaves, in about 20...235.
  private func texture(_ p: Point, octaves: Int, salt: UInt64) -> Double {
    var total = 0.0
    var weight = 0.0
    for octave in 0..<octaves {
      let wavelength = 160.0 / Double(1 << octave)
      let amplitude = pow(0.72, Double(octave))
      total += amplitude * lattice(p.x / wavelength, p.y / wavelength, salt: salt &+ UInt64(octave) &* 131)
      weight += amplitude
    }
    return 127 + 260 * (total / weight - 0.5)
  }

  private func lattice(_ x: Double, _ y: Double, salt: UInt64) -> Double {
    let (i, j) = (x.rounded(.down), y.rounded(.down))
    let (u, v) = (smooth(x - i), smooth(y - j))
    func node(_ di: Double, _ dj: Double) -> Double { uniform(key(Int(i + di), Int(j + dj)), salt: salt) }
    let top = node(0, 0) * (1 - u) + node(1, 0) * u
    let bottom = node(0, 1) * (1 - u) + node(1, 1) * u
    return top * (1 - v) + bottom * v
  }

  private func smooth(_ t: Double) -> Double { t * t * (3 - 2 * t) }

  private func key(_ i: Int, _ j: Int) -> UInt64 {
    UInt64(bitPattern: Int64(i)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(j)) &* 0xC2B2_AE3D_27D4_EB4F
  }

  /// SplitMix64's finaliser, as a hash to 0..<1.
  private func uniform(_ key: UInt64, salt: UInt64) -> Double {
    var z = key &+ (seed &+ salt) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) / Double(1 << 53)
  }

  private func gaussian(_ key: UInt64, salt: UInt64) -> Double {
    let (a, b) = (uniform(key, salt: salt &* 3 &+ 1), uniform(key, salt: salt &* 3 &+ 2))
    return (-2 * log(1 - a)).squareRoot() * cos(2 * .pi * b)
  }
}

extension Scene {
  /// The camera of frame `index` of a steady hand: a few pixels of shift, a little roll and perspective.
  public static func handheld(_ index: Int) -> Homography {
    guard index > 0 else { return .identity }
    let t = Double(index)
    let angle = 0.004 * sin(2.3 * t)
    return Homography(
      cos(angle), -sin(angle), 9 * sin(1.7 * t), sin(angle), cos(angle), 7 * cos(1.1 * t), 6e-6 * sin(t),
      -5e-6 * cos(3 * t))
  }
}
