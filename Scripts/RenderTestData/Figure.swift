import Frames

/// Somebody who walks or stands on the square: a flat, textured figure with a shadow.
struct Figure {
  /// Between the feet, in units.
  var feet: Point
  /// The half of a stride, -1...1: how far apart the legs are.
  var stride: Double
  var coat: Color
  var trousers: Color
  var skin: Color
  var hair: Color
  /// Stripes, checks or plain: 0, 1, 2.
  var pattern: Int
  var salt: UInt64

  /// People are smaller the farther away they stand.
  var height: Double { 58 + 0.62 * (feet.y - Monument.groundLine) }

  /// What the figure covers, shadow included.
  var bounds: Region {
    let half = Int(0.62 * height) + 2
    let tall = Int(height) + 3
    return Region(
      x: Int(feet.x) - half, y: Int(feet.y) - tall, width: 2 * half, height: tall + Int(0.12 * height) + 3)
  }

  func paint(on canvas: inout Canvas) {
    canvas.shade(bounds) { shadow(at: $0) }
    canvas.paint(bounds) { color(at: $0) }
  }

  /// Whether the figure or its shadow changes a place.
  func covers(_ p: Point) -> Bool { shadow(at: p) < 0.98 || color(at: p) != nil }

  /// The share of light that the shadow leaves.
  private func shadow(at p: Point) -> Double {
    let (x, y) = ((p.x - feet.x - 0.16 * height) / (0.36 * height), (p.y - feet.y) / (0.055 * height))
    return 1 - 0.45 * smooth(1.6 * (1 - x * x - y * y))
  }

  /// In body coordinates: x in heights from the middle, y in heights up from the feet.
  private func color(at p: Point) -> Color? {
    let (x, y) = ((p.x - feet.x) / height, (feet.y - p.y) / height)
    guard abs(x) < 0.4, y > -0.02, y < 1.01 else { return nil }
    return head(x, y) ?? torso(x, y) ?? legs(x, y)
  }

  private func head(_ x: Double, _ y: Double) -> Color? {
    let (u, v) = (x / 0.058, (y - 0.925) / 0.075)
    guard u * u + v * v < 1 else { return nil }
    return v > 0.25 || u > 0.62 ? hair * (0.85 + 0.4 * noise(60 * x, 25 * y, salt)) : skin * (1 - 0.25 * u)
  }

  private func torso(_ x: Double, _ y: Double) -> Color? {
    let sway = 0.06 * stride
    func isLimb(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, _ width: Double) -> Bool {
      distance(x, y, x0, y0, x1, y1) < width
    }
    let isArm =
      isLimb(-0.105, 0.80, -0.12 - sway, 0.50, 0.032) || isLimb(0.105, 0.80, 0.12 + sway, 0.50, 0.032)
    let half = 0.125 - 0.03 * smooth((y - 0.75) / 0.1) - 0.02 * smooth((0.6 - y) / 0.1)
    let isBody = y > 0.44 && y < 0.855 && abs(x) < half
    guard isArm || isBody else { return nil }
    if isArm, !isBody, y < 0.51 { return skin }
    let light = (1 - 1.6 * x) * (0.92 + 0.22 * fractal(40 * x, 24 * y, cell: 4, octaves: 3, salt: salt))
    switch pattern {
    case 0: return coat * (light * (Int(y * 40) % 2 == 0 ? 1.12 : 0.74))
    case 1: return coat * (light * ((Int(x * 44 + 40) + Int(y * 44)) % 2 == 0 ? 1.15 : 0.7))
    default: return coat * light
    }
  }

  private func legs(_ x: Double, _ y: Double) -> Color? {
    let foot = 0.045 + 0.13 * abs(stride)
    let left = distance(x, y, -0.045, 0.48, -foot, 0.03)
    let right = distance(x, y, 0.045, 0.48, foot, 0.03)
    guard min(left, right) < 0.048 else { return nil }
    let light = 0.85 + 0.3 * noise(30 * x, 30 * y, salt &+ 3)
    if y < 0.035 { return Color(36, 30, 26) }
    return trousers * (left < right ? light : 0.8 * light)
  }

  /// From (x, y) to a line between two points.
  private func distance(_ x: Double, _ y: Double, _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) -> Double {
    let (dx, dy) = (x1 - x0, y1 - y0)
    let t = min(max(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0), 1)
    let (ex, ey) = (x - x0 - t * dx, y - y0 - t * dy)
    return (ex * ex + ey * ey).squareRoot()
  }
}

extension Figure {
  /// Somebody of random looks.
  static func random(_ random: inout Random, feet: Point) -> Figure {
    let coats: [Color] = [
      Color(196, 44, 40), Color(36, 84, 168), Color(232, 186, 40), Color(40, 120, 76), Color(214, 210, 200),
      Color(48, 44, 52), Color(208, 104, 40), Color(126, 60, 132),
    ]
    let trousers: [Color] = [Color(44, 52, 78), Color(70, 62, 56), Color(34, 34, 36), Color(150, 134, 104)]
    let skins: [Color] = [Color(224, 176, 146), Color(176, 124, 92), Color(112, 76, 56)]
    let hairs: [Color] = [Color(40, 30, 24), Color(92, 62, 36), Color(190, 160, 104), Color(150, 148, 146)]
    func pick<T>(_ list: [T]) -> T { list[Int(random.uniform() * Double(list.count))] }
    return Figure(
      feet: feet, stride: 0, coat: pick(coats), trousers: pick(trousers), skin: pick(skins), hair: pick(hairs),
      pattern: Int(random.uniform() * 3), salt: UInt64(random.uniform() * 1e9))
  }
}
