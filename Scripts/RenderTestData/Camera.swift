import Frames

/// How one frame is taken.
struct Shot {
  /// Frame pixel to reference pixel.
  var homography: Homography
  /// Factors of red, green and blue: exposure and white balance.
  var gain = Color(1, 1, 1)
  /// Standard deviation of the sensor's noise, in levels of 255.
  var noise = 0.0
  var seed: UInt64 = 0
}

/// The camera of the reference frame, which all shots refer to.
struct Camera {
  let size: Size
  /// The scene's place, in units, of the top left corner of the reference's picture.
  let origin: Point
  /// Pixels of the picture per unit of the scene.
  let scale: Double

  /// Photographs the scene: each pixel is the mean over its area, with the shot's exposure and noise.
  /// - Parameter bits: 8 or 16.
  /// - Returns: R, G, B.
  func photo(of canvas: Canvas, shot: Shot, bits: Int, name: String) throws -> Frame {
    var random = Random(seed: shot.seed)
    let builders = try (0..<3).map { _ in try PlaneBuilder(width: size.width, height: size.height, bits: bits) }
    let maximum = Double((1 << bits) - 1)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let color = area(x, y, canvas, shot.homography) * shot.gain
        for channel in 0..<3 {
          let grain = shot.noise == 0 ? 0 : shot.noise * random.normal()
          let code = min(max(((color[channel] + grain) / 255 * maximum).rounded(), 0), maximum)
          if bits > 8 {
            builders[channel].row(y, as: UInt16.self)[x] = UInt16(code)
          } else {
            builders[channel].row(y, as: UInt8.self)[x] = UInt8(code)
          }
        }
      }
    }
    return Frame(planes: builders.map { $0.finish() }, encoding: .rgb, name: name)
  }

  /// Where a frame's pixel lies in the scene.
  func place(_ pixel: Point, _ homography: Homography) -> Point {
    let reference = homography(pixel)
    return Point(x: origin.x + (reference.x + 0.5) / scale, y: origin.y + (reference.y + 0.5) / scale)
  }

  /// The reference's pixels that a part of the scene, in units, may touch.
  func pixels(around part: Region) -> Region {
    let (left, top) = (scale * (Double(part.x) - origin.x), scale * (Double(part.y) - origin.y))
    let whole = Region(
      x: Int(left.rounded(.down)) - 1, y: Int(top.rounded(.down)) - 1,
      width: Int((scale * Double(part.width)).rounded(.up)) + 3,
      height: Int((scale * Double(part.height)).rounded(.up)) + 3)
    return whole.intersection(size.bounds)
  }

  /// The mean of 4x4 places within a pixel.
  private func area(_ x: Int, _ y: Int, _ canvas: Canvas, _ homography: Homography) -> Color {
    var sum = Color.zero
    for v in 0..<4 {
      for u in 0..<4 {
        let pixel = Point(x: Double(x) + (Double(u) - 1.5) / 4, y: Double(y) + (Double(v) - 1.5) / 4)
        sum += canvas.color(at: place(pixel, homography))
      }
    }
    return sum / 16
  }
}

extension Homography {
  /// A hand's tremble: a turn by about `turn` radians and a zoom about the picture's middle, a shift in pixels,
  /// and perspective `tilt` per pixel.
  static func handheld(
    size: Size, shift: (x: Double, y: Double), turn: Double, zoom: Double, tilt: (x: Double, y: Double)
  ) -> Homography {
    let (cx, cy) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
    // A rotation by rational numbers, exact enough and the same everywhere.
    let t = turn / 2
    let (c, s) = (zoom * (1 - t * t) / (1 + t * t), zoom * 2 * t / (1 + t * t))
    let centred = Homography(1, 0, -cx, 0, 1, -cy, 0, 0)
    let moved = Homography(c, -s, shift.x, s, c, shift.y, tilt.x, tilt.y)
    let back = Homography(1, 0, cx, 0, 1, cy, 0, 0)
    guard let turned = moved * centred, let whole = back * turned else { return .identity }
    return whole
  }
}
