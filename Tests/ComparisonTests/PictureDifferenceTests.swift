import Comparison
import Frames
import Testing

@Suite struct PictureDifferenceTests {
  private func grey(_ width: Int, _ height: Int, bits: Int = 8, _ value: (Int, Int) -> Int) throws -> Frame {
    Frame(
      planes: [try Plane(width: width, height: height, bits: bits, value: value)], encoding: .grey(.full), name: "g")
  }

  private func rgb(_ width: Int, _ height: Int, _ value: (Int, Int, Int) -> Int) throws -> Frame {
    let planes = try (0..<3).map { channel in try Plane(width: width, height: height) { value(channel, $0, $1) } }
    return Frame(planes: planes, encoding: .rgb, name: "c")
  }

  @Test func equalPicturesHaveNoDifference() throws {
    let picture = try rgb(16, 12) { $0 * 50 + $1 * 7 + $2 }
    let difference = try compare(picture, picture)
    #expect(difference.peakSignalToNoise == .infinity)
    #expect(difference.mean == 0 && difference.largest == 0 && difference.shareBeyondTolerance == 0)
    #expect(abs(try #require(difference.structuralSimilarity) - 1) < 1e-12)
    #expect(difference.isWithinTolerance())
  }

  @Test func oneSampleOffByTen() throws {
    let a = try rgb(4, 5) { _, _, _ in 100 }
    let b = try rgb(4, 5) { channel, x, y in channel == 1 && x == 2 && y == 3 ? 110 : 100 }
    let difference = try compare(a, b, tolerance: 9.5)
    // One of 60 samples: 100 / 60 squared levels, 10 / 60 levels.
    #expect(abs(difference.meanSquare - 100.0 / 60) < 1e-12)
    #expect(abs(difference.mean - 10.0 / 60) < 1e-12)
    // 10 log10(65025 / (5 / 3)) = 10 log10(39015).
    #expect(abs(difference.peakSignalToNoise - 45.91232) < 1e-4)
    #expect(difference.largest == 10)
    #expect(difference.shareBeyondTolerance == 1.0 / 20)
    #expect(!difference.isWithinTolerance() && difference.isWithinTolerance(share: 0.05))
    #expect(try compare(a, b, tolerance: 10).isWithinTolerance())
    #expect(difference.structuralSimilarity == nil)
  }

  @Test func similarityOfFlatPicturesIsThatOfTheirMeans() throws {
    let difference = try compare(grey(11, 11) { _, _ in 100 }, grey(11, 11) { _, _ in 120 })
    // (2 * 100 * 120 + 6.5025) / (100^2 + 120^2 + 6.5025), and no structure: the second factor is 1.
    let expected = 24006.5025 / 24406.5025
    #expect(abs(try #require(difference.structuralSimilarity) - expected) < 1e-9)
  }

  @Test func similarityOfInvertedStripesIsNegative() throws {
    let a = try grey(32, 32) { x, _ in x % 4 < 2 ? 90 : 110 }
    let b = try grey(32, 32) { x, _ in x % 4 < 2 ? 110 : 90 }
    #expect(try #require(compare(a, b).structuralSimilarity) < -0.5)
  }

  @Test func depthsAreComparedInLevels() throws {
    let a = try grey(3, 3) { x, y in 20 * x + y }
    let b = try grey(3, 3, bits: 16) { x, y in 257 * (20 * x + y) }
    #expect(try compare(a, b).largest == 0)
    let c = try grey(3, 3, bits: 16) { x, y in 257 * (20 * x + y) + 128 }
    #expect(abs(try compare(a, c).largest - 128.0 / 257) < 1e-12)
  }

  @Test func encodingsAreComparedAsRGB() throws {
    let neutral = try (0..<3).map { plane in try Plane(width: 4, height: 4) { _, _ in plane == 0 ? 77 : 128 } }
    let yCbCr = Frame(planes: neutral, encoding: .yCbCr(.bt601, .full), name: "y")
    #expect(try compare(yCbCr, rgb(4, 4) { _, _, _ in 77 }).largest == 0)
    #expect(try compare(yCbCr, grey(4, 4) { _, _ in 77 }).largest == 0)
  }

  @Test func sizesMustAgree() throws {
    let (a, b) = (try grey(3, 4) { _, _ in 0 }, try grey(4, 3) { _, _ in 0 })
    #expect(throws: ComparisonError.differentSizes(a.size, b.size)) { try compare(a, b) }
    #expect(throws: ComparisonError.differentSizes(a.size, b.size)) { try heatPicture(a, b) }
  }

  @Test func heatShowsWhereAndHowMuch() throws {
    let a = try grey(3, 1) { _, _ in 200 }
    let b = try grey(3, 1) { x, _ in [200, 216, 100][x] }
    let heat = try heatPicture(a, b, full: 64)
    // Equal: the picture at a quarter. 16 of 64 levels: half way, red and half of yellow. Past 64: white.
    #expect(heat.planes.map { $0[0, 0] } == [50, 50, 50])
    #expect(heat.planes.map { $0[1, 0] } == [255, 129, 50])
    #expect(heat.planes.map { $0[2, 0] } == [255, 255, 255])
    #expect(heat.bits == 8 && heat.encoding == .rgb)
  }
}
