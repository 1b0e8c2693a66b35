import CleanPlate
import TestScenes
import Testing

/// Who was removed, cut out of the reference.
@Suite struct ForegroundTests {
  static let size = Size(width: 320, height: 240)
  static let walker = Scene.Figure(x: 90, y: 120, radius: 24)
  let scene = Scene(seed: 5)

  /// Handheld photos of the scene, one walker in each; in the first he stands at `walker`.
  private func burst() throws -> [Input] {
    try (0..<7).map { index in
      var figure = Self.walker
      figure.x += index == 0 ? 0 : 40 + 25 * Double(index)
      return .frame(
        try scene.photo(
          Self.size, camera: Scene.handheld(index), figures: [figure], noise: 1.5, noiseSeed: UInt64(index)))
    }
  }

  private func result(_ combine: CombineOperator, bits: Int? = nil, threads: Int = 2) async throws -> PlateResult {
    let options = try Options(
      combine: combine, reference: .index(0), crop: .reference, detector: .off, foreground: true, threads: threads,
      bits: bits)
    return try await makePlate(from: burst(), options: options)
  }

  private func distance(_ x: Int, _ y: Int) -> Double {
    let (dx, dy) = (Double(x) - Self.walker.x, Double(y) - Self.walker.y)
    return (dx * dx + dy * dy).squareRoot()
  }

  /// Largest difference, in levels of 8 bits, between the reference and the foreground laid over the plate, within
  /// some pixels of the walker's middle.
  private func error(of result: PlateResult, within radius: Double) throws -> Double {
    let foreground = try #require(result.foreground)
    let layout = foreground.colours.layout
    let reference = try scene.photo(Self.size, figures: [Self.walker], noise: 1.5).converted(to: layout)
    let plate = try result.plate.converted(to: layout)
    var largest = 0.0
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width where distance(x, y) < radius {
        let opacity = Double(foreground.alpha[x, y]) / Double(foreground.alpha.maximum)
        for plane in 0..<3 {
          let laid =
            opacity * Double(foreground.colours.planes[plane][x, y]) + (1 - opacity) * Double(plate.planes[plane][x, y])
          largest = max(largest, abs(laid - Double(reference.planes[plane][x, y])))
        }
      }
    }
    return largest / Double(1 << (layout.bits - 8))
  }

  @Test(arguments: [CombineOperator.clean, .median, .mode], [8, 16])
  func givesTheReferenceBackOverThePlate(combine: CombineOperator, bits: Int) async throws {
    let result = try await result(combine, bits: bits)
    let foreground = try #require(result.foreground)
    #expect(foreground.colours.bits == bits && foreground.alpha.bits == bits)
    #expect(foreground.colours.size == result.plate.size)
    #expect(try error(of: result, within: Self.walker.radius - 2) <= 1)
    // At his edge what he hides and his own colours are told apart no better than noise lets them.
    #expect(try error(of: result, within: Self.walker.radius + 4) <= 16)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        if distance(x, y) < Self.walker.radius - 2 { #expect(foreground.alpha[x, y] == foreground.alpha.maximum) }
        if distance(x, y) > Self.walker.radius + 5 {
          #expect(foreground.alpha[x, y] == 0, "\(x), \(y)")
          #expect(foreground.colours.planes.allSatisfy { $0[x, y] == 0 })
        }
      }
    }
  }

  @Test func doesNotDependOnThreads() async throws {
    let one = try #require(try await result(.clean, threads: 1).foreground)
    let many = try #require(try await result(.clean, threads: 3).foreground)
    #expect(one.alpha == many.alpha && one.colours.planes == many.colours.planes)
  }

  @Test func isMadeOnlyWhenAskedFor() async throws {
    let plain = try await makePlate(from: burst(), options: Options(detector: .off))
    #expect(plain.foreground == nil)
  }

  @Test(arguments: [CombineOperator.mean, .lighten, .darken])
  func needsAnOperatorThatRemovesPeople(combine: CombineOperator) {
    #expect(throws: OptionError.foreground(combine)) { try Options(combine: combine, foreground: true) }
  }

  @Test func keepsTheReferencesProfile() async throws {
    let profile: [UInt8] = [1, 2, 3]
    let frames = try burst().map { input in
      guard case .frame(let frame) = input else { return input }
      return Input.frame(
        Frame(
          planes: frame.planes, grids: frame.grids, encoding: frame.encoding, name: frame.name,
          metadata: Metadata(iccProfile: profile)))
    }
    let options = try Options(reference: .index(0), detector: .off, foreground: true)
    let result = try await makePlate(from: frames, options: options)
    #expect(result.foreground?.colours.metadata.iccProfile == profile)
  }
}
