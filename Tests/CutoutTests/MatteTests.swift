import Frames
import Testing

@testable import Cutout

/// Grey photos of a wall with something in front of it, and the plate of the wall.
@Suite struct MatteTests {
  static let size = Size(width: 200, height: 150)
  static let figure = Region(x: 80, y: 40, width: 30, height: 70)

  private func wall(_ x: Int, _ y: Int) -> Int { 140 + (x / 16 + y / 24) % 2 * 30 }

  /// -2...2, without any pattern.
  private func grain(_ x: Int, _ y: Int) -> Int {
    var z = UInt64(x) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(y) &* 0xC2B2_AE3D_27D4_EB4F
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return Int((z ^ (z >> 27)) >> 40 % 5) - 2
  }

  /// The opacity of a photo that shows `value` where that is not nil, and the wall elsewhere.
  private func opacity(
    bits: Int = 8, threads: Int = 2, belief: SelectionPlan.Belief = .open, _ value: (_ x: Int, _ y: Int) -> Int?
  ) async throws -> Plane {
    let unit = 1 << (bits - 8)
    let plate = try Plane(width: Self.size.width, height: Self.size.height, bits: bits) { wall($0, $1) * unit }
    let photo = try Plane(width: Self.size.width, height: Self.size.height, bits: bits) { x, y in
      ((value(x, y) ?? wall(x, y)) + grain(x, y)) * unit
    }
    let noise = NoiseLevel(constant: 2 * Double(unit * unit), slope: 0)
    return try await Matte(reference: [photo], plate: [plate], grids: [.full], noise: [noise])
      .opacity(threads: threads) { _, _ in belief }
  }

  private func figure(_ x: Int, _ y: Int) -> Int? {
    Self.figure.contains(x: x, y: y) ? 40 : nil
  }

  /// Pixels by opacity: none, some, all.
  private func counts(_ plane: Plane) -> (none: Int, some: Int, all: Int) {
    var counts = (none: 0, some: 0, all: 0)
    for y in 0..<plane.height {
      for x in 0..<plane.width {
        switch plane[x, y] {
        case 0: counts.none += 1
        case plane.maximum: counts.all += 1
        default: counts.some += 1
        }
      }
    }
    return counts
  }

  @Test(arguments: [8, 12, 16]) func coversAFigureAndNothingElse(bits: Int) async throws {
    let plane = try await opacity(bits: bits, figure)
    #expect(plane.bits == bits)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let inside = figure(x, y) != nil
        let near = Region(
          x: Self.figure.x - 3, y: Self.figure.y - 3, width: Self.figure.width + 6, height: Self.figure.height + 6
        ).contains(x: x, y: y)
        #expect(!inside || plane[x, y] == plane.maximum, "\(x), \(y)")
        #expect(near || plane[x, y] == 0, "\(x), \(y)")
      }
    }
  }

  @Test func seesNobodyInNoise() async throws {
    let plane = try await opacity { _, _ in nil }
    #expect(counts(plane).none == Self.size.area)
  }

  @Test func seesNobodyInSpeckles() async throws {
    let plane = try await opacity { x, y in x % 23 < 2 && y % 19 < 2 ? 40 : nil }
    #expect(counts(plane).none == Self.size.area)
  }

  /// Far brighter in the middle than noise, but without an outline.
  @Test func seesNobodyInADriftingCloud() async throws {
    let plane = try await opacity { x, y in
      let (dx, dy) = (Double(x - 100) / 60, Double(y - 75) / 50)
      let share = max(0, 1 - dx * dx - dy * dy)
      return wall(x, y) + Int(25 * share * share)
    }
    #expect(counts(plane).none == Self.size.area)
  }

  @Test func seesNobodyWhereTheReferenceWasBelieved() async throws {
    let plane = try await opacity(belief: .believed, figure)
    #expect(counts(plane).none == Self.size.area)
  }

  /// Faint against the wall below the waist: only where the plan doubts the reference does that belong to him.
  @Test func followsDoubtsIntoWhatHardlyDiffers() async throws {
    func faint(_ x: Int, _ y: Int) -> Int? {
      figure(x, y).map { y < 75 ? $0 : wall(x, y) - 3 }
    }
    let open = try await opacity(faint)
    let doubted = try await opacity(belief: .doubted, faint)
    #expect(counts(open).all < 45 * Self.figure.width)
    #expect(counts(doubted).all > 65 * (Self.figure.width - 2))
  }

  @Test func doesNotDependOnThreads() async throws {
    #expect(try await opacity(threads: 1, figure) == opacity(threads: 3, figure))
  }
}
