import Frames

/// A temple front between two houses, with a sky above and a paved square before it; 640 by 480 units.
enum Monument {
  /// Where the wall meets the ground.
  static let groundLine = 334.0

  static func painted(_ bounds: Region, density: Int = 3) -> Canvas {
    var canvas = Canvas(bounds: bounds, density: density)
    canvas.paint { color(at: $0) }
    return canvas
  }

  private static func color(at p: Point) -> Color {
    if p.y > groundLine { return paving(p) }
    return steps(p) ?? columns(p) ?? entablature(p) ?? pediment(p) ?? porch(p) ?? cypress(p) ?? houses(p) ?? sky(p)
  }

  private static func sky(_ p: Point) -> Color {
    let height = min(max(p.y / 330, -0.3), 1)
    let blue = Color(96, 138, 190) * (1 - height) + Color(190, 205, 214) * height
    let cloud = smooth(fractal(p.x, 2.4 * p.y, cell: 150, octaves: 6, salt: 11) * 1.4 + 0.2)
    return blue * (1 - 0.6 * cloud) + Color(226, 226, 222) * (0.6 * cloud)
  }

  /// Weathered limestone of a tone about 1.
  private static func limestone(_ p: Point, tone: Double, salt: UInt64) -> Color {
    let stain = fractal(p.x, 0.6 * p.y, cell: 40, octaves: 4, salt: salt)
    let grain = fractal(p.x, p.y, cell: 5, octaves: 3, salt: salt &+ 5)
    return Color(196, 183, 158) * (tone * (1 + 0.09 * stain + 0.10 * grain))
  }

  /// Courses of blocks with joints: every block has a tone of its own, every second course is shifted.
  private static func masonry(_ p: Point, course: Double, block: Double, salt: UInt64) -> (tone: Double, joint: Double)
  {
    let row = (p.y / course).rounded(.down)
    let shift = lattice(Int(row), 3, salt)
    let along = p.x / block + shift + 0.5 * row
    let column = along.rounded(.down)
    // The joint between two blocks wanders, so that blocks differ in length.
    func edge(_ index: Double) -> Double { index + 0.3 * (lattice(Int(index), Int(row), salt &+ 1) - 0.5) }
    let index = along < edge(column) ? column - 1 : along >= edge(column + 1) ? column + 1 : column
    let side = min(along - edge(index), edge(index + 1) - along) * block
    let bed = min(p.y - row * course, (row + 1) * course - p.y)
    let tone = 0.86 + 0.28 * lattice(Int(index), Int(row), salt &+ 2)
    return (tone, smooth((min(side, bed) - 0.2) / 0.9))
  }

  private static func houses(_ p: Point) -> Color? {
    let isLeft = p.x < 320
    let roof = isLeft ? 206.0 : 178.0
    guard p.y > roof - 7, p.x < 84 || p.x > 556 else { return nil }
    if p.y < roof { return limestone(p, tone: 0.62 + 0.2 * (p.y - roof + 7) / 7, salt: 31) }
    let wall = masonry(p, course: isLeft ? 11 : 14, block: isLeft ? 27 : 34, salt: isLeft ? 40 : 41)
    let plaster = isLeft ? Color(1.0, 0.86, 0.70) : Color(0.95, 0.93, 0.90)
    // Windows in two rows, each with a frame and glass of its own.
    let (spacing, first) = (isLeft ? 44.0 : 40.0, isLeft ? -68.0 : 566.0)
    let column = ((p.x - first) / spacing).rounded(.down)
    let row = ((p.y - roof - 18) / 58).rounded(.down)
    let (x, y) = (p.x - first - column * spacing, p.y - roof - 18 - row * 58)
    if row >= 0, row < 2, x > 8, x < 28, y > 0, y < 36 {
      if x < 10 || x > 26 || y < 2 || y > 33 { return limestone(p, tone: 1.08, salt: 51) }
      if abs(x - 18) < 0.8 || abs(y - 14) < 0.8 { return Color(120, 96, 70) }
      let light = lattice(Int(column), Int(row), 52)
      let glass = 0.6 + 0.4 * fractal(p.x, p.y, cell: 18, octaves: 4, salt: 53)
      return Color(58, 66, 76) * (0.6 + 0.7 * light) * glass + Color(16, 18, 20)
    }
    return limestone(p, tone: 0.9 * wall.tone * (0.66 + 0.34 * wall.joint), salt: 33) * plaster
  }

  private static func cypress(_ p: Point) -> Color? {
    for (index, tree) in [(x: 62.0, top: 96.0, wide: 19.0), (x: 583.0, top: 122.0, wide: 16.0)].enumerated() {
      let t = (p.y - tree.top) / (groundLine - tree.top)
      guard t > 0 else { continue }
      let ragged = 1 + 0.35 * fractal(p.x, p.y, cell: 9, octaves: 3, salt: 61 &+ UInt64(index))
      let half = tree.wide * min(2.6 * t, 1.25 - 0.45 * t) * ragged
      guard abs(p.x - tree.x) < half else { continue }
      let light = 0.75 - 0.3 * (p.x - tree.x) / tree.wide + 0.55 * fractal(p.x, p.y, cell: 6, octaves: 4, salt: 63)
      return Color(52, 70, 44) * min(max(light, 0.35), 1.7) + Color(12, 14, 8)
    }
    return nil
  }

  /// Three steps, each wider than the one above.
  private static func steps(_ p: Point) -> Color? {
    guard p.y > 310 else { return nil }
    let step = ((p.y - 310) / 8).rounded(.down)
    guard abs(p.x - 320) < 232 + 9 * step else { return nil }
    let within = (p.y - 310) / 8 - step
    let joint = masonry(Point(x: p.x, y: p.y - 310), course: 8, block: 46, salt: 71)
    let edge = within < 0.22 ? 1.2 : 0.86 - 0.1 * within
    return limestone(p, tone: edge * (0.9 + 0.1 * joint.tone) * (0.72 + 0.28 * joint.joint), salt: 72)
  }

  private static func columns(_ p: Point) -> Color? {
    guard p.y > 140, p.y <= 310 else { return nil }
    let index = min(max(((p.x - 80) / 80).rounded(.down), 0), 5)
    let x = p.x - (120 + 80 * index)
    let salt = 80 + UInt64(index)
    // Capital and base are blocks, the shaft tapers and swells a little.
    if p.y < 153 {
      let half = p.y < 146 ? 22 : 22 - (p.y - 146) * 0.9
      return abs(x) < half ? limestone(p, tone: p.y < 146 ? 1.08 : 0.92, salt: salt) : nil
    }
    if p.y > 302 { return abs(x) < 20 ? limestone(p, tone: 0.98 - 0.02 * (p.y - 302), salt: salt) : nil }
    let t = (p.y - 153) / 149
    let half = 13.2 + 3.6 * t - 2 * (t - 0.5) * (t - 0.5)
    guard abs(x) < half else { return nil }
    let across = x / half
    // Flutes get narrower towards the sides, as on a cylinder; light comes from the left.
    let angle = across * (1 + 0.45 * across * across)
    let flute = abs(angle * 5 - (angle * 5).rounded())
    let light = 1.04 - 0.28 * across - 0.3 * across * across
    let drum = masonry(Point(x: 10, y: p.y + 13 * index), course: 37, block: 400, salt: salt).joint
    let chip = fractal(p.x, p.y, cell: 7, octaves: 3, salt: salt &+ 300) > 0.75 ? 0.85 : 1
    return limestone(p, tone: light * (0.74 + 0.62 * flute) * (0.8 + 0.2 * drum) * chip, salt: salt)
  }

  private static func entablature(_ p: Point) -> Color? {
    guard p.y > 104, p.y <= 140, abs(p.x - 320) < (p.y < 111 ? 240 : 228) else { return nil }
    if p.y < 111 { return limestone(p, tone: p.y < 107 ? 1.14 : 0.7, salt: 91) }
    if p.y < 126 {
      // Triglyphs and metopes, each metope with a relief of its own.
      let unit = (p.x - 320 + 228) / 19
      let cell = unit.rounded(.down)
      let within = unit - cell
      if within < 0.4 {
        let groove = abs(within * 7.5 - (within * 7.5).rounded())
        return limestone(p, tone: 0.78 + 0.55 * groove, salt: 92)
      }
      let relief = fractal(p.x, p.y, cell: 7, octaves: 3, salt: 93 &+ UInt64(abs(cell)))
      return limestone(p, tone: 0.84 + 0.3 * relief, salt: 94)
    }
    let blocks = masonry(Point(x: p.x, y: p.y - 126), course: 14, block: 80, salt: 95)
    return limestone(p, tone: (0.92 + 0.1 * blocks.tone) * (0.75 + 0.25 * blocks.joint), salt: 96)
  }

  private static func pediment(_ p: Point) -> Color? {
    let slope = 104 - 56 * (1 - abs(p.x - 320) / 244)
    guard p.y <= 104, p.y > slope - 1, abs(p.x - 320) < 244 else { return nil }
    if p.y < slope + 9 { return limestone(p, tone: p.y < slope + 3 ? 1.16 : 0.8, salt: 101) }
    // Figures of the gable, as a relief that fades into the corners.
    let relief = fractal(p.x, 0.7 * p.y, cell: 16, octaves: 4, salt: 102)
    return limestone(p, tone: 0.76 + 0.34 * relief, salt: 103)
  }

  /// The wall in the shade behind the columns, with its door.
  private static func porch(_ p: Point) -> Color? {
    guard p.y > 140, abs(p.x - 320) < 226 else { return nil }
    let x = abs(p.x - 320)
    if x < 31, p.y > 186 {
      if x > 26 || p.y < 191 { return limestone(p, tone: 0.85, salt: 111) }
      let (u, v) = ((p.x - 294) / 26, (p.y - 191) / 30)
      let panel = min(u - u.rounded(.down), 1 - u + u.rounded(.down), v - v.rounded(.down), 1 - v + v.rounded(.down))
      let wood = fractal(6 * p.x, p.y, cell: 30, octaves: 4, salt: 112)
      return Color(112, 74, 46) * (0.62 + 0.5 * smooth(panel * 9) + 0.22 * wood)
    }
    let wall = masonry(p, course: 17, block: 41, salt: 113)
    let depth = 0.5 + 0.16 * smooth((p.y - 150) / 120)
    return limestone(p, tone: depth * wall.tone * (0.62 + 0.38 * wall.joint), salt: 114)
  }

  /// Slabs in perspective, with a vanishing line above the wall's foot.
  private static func paving(_ p: Point) -> Color {
    let far = 1 / (p.y - 300)
    let (x, z) = ((p.x - 320) * far * 5.5, 1300 * far)
    let row = z.rounded(.down)
    let slab = masonry(Point(x: x * 10, y: z * 10), course: 10, block: 14, salt: 121)
    // Joints would be finer than a pixel far away.
    let sharp = smooth((p.y - 330) / 60)
    let joint = 1 - (1 - slab.joint) * (0.15 + 0.3 * sharp)
    let dirt = fractal(x, z, cell: 1.6, octaves: 5, salt: 122)
    let grit = fractal(p.x, p.y, cell: 4, octaves: 3, salt: 123)
    let tone = (0.9 + 0.1 * lattice(Int(row), 7, 124)) * (0.7 + 0.35 * slab.tone) * joint
    return Color(158, 148, 134) * (tone * (1 + 0.14 * dirt + 0.12 * grit))
  }
}
