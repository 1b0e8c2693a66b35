import CShimKernels
import Frames
import Resampling
import Testing

@testable import Selection

/// The median, gradients and distances of candidates.
@Suite struct CompareTests {
  @Test func medianIsOfTheFramesThatShowAPixel() async throws {
    let made = try await candidates(
      3, coverage: { frame, _ in frame == 2 ? 0..<10 : nil }, value: { frame, _, _ in [10, 21, 90][frame] })
    let median = made.list[made.median]
    #expect(median.planes[0][9, 3] == 21)
    #expect(median.planes[0][10, 3] == 16)
    #expect(made.covering(x: 9, y: 3) == 0b1111)
    #expect(made.covering(x: 10, y: 3) == 0b1011)
  }

  @Test func medianOfWhatNobodyShowsIsThatOfAll() async throws {
    let made = try await candidates(3, coverage: { _, _ in 4..<24 }, value: { frame, _, _ in [10, 21, 90][frame] })
    #expect(made.list[made.median].planes[0][0, 0] == 21)
    #expect(made.covering(x: 0, y: 0) == 0b1000)
  }

  @Test func gradientIsTheSteeperDifferenceOfNeighbours() throws {
    let plane = try Plane(width: 5, height: 4) { x, y in 10 * x + 3 * y }
    let steepness = try gradient(of: plane)
    #expect(steepness[2, 2] == 20)
    // At the border the pixel itself stands in.
    #expect(steepness[0, 1] == 10 && steepness[4, 3] == 10)
    #expect(try gradient(of: Plane(width: 1, height: 1) { _, _ in 7 })[0, 0] == 0)
  }

  private func distance(
    _ a: Int, _ b: Int, saturation: Float = 255, noise: [ComparedNoise] = quietNoise
  ) async throws -> Float {
    let made = try await candidates(2, saturation: saturation) { frame, _, _ in frame == 0 ? a : b }
    let pixels = ComparedPixels(made, noise, most: 1)
    pixels.take(columns: 5..<6, rows: 5..<6)
    return pixels.distances(of: 0, from: 1..<2)[0]
  }

  @Test func distanceIsInUnitsOfTheNoise() async throws {
    // Half of the squared difference over the variance: both are noisy.
    #expect(try await distance(100, 108) == 0.5 * 64 / 4)
    let bright = Array(repeating: ComparedNoise(constant: 4, slope: 0.5, squaredShift: 0), count: 3)
    #expect(try await distance(100, 108, noise: bright) == 0.5 * 64 / (4 + 0.5 * 104))
  }

  @Test func clippedSampleAgreesWithAllThatIsBrighter() async throws {
    #expect(try await distance(200, 230, saturation: 200) == 0)
    #expect(try await distance(200, 190, saturation: 200) > 0)
  }

  @Test(arguments: [true, false]) func everyPixelAndPairHasItsDistance(hasChroma: Bool) async throws {
    let size = Size(width: 13, height: 9)
    var state: UInt32 = 7
    let list = try (0..<5).map { index in
      let planes = try (0..<3).map { _ in
        try Plane(width: size.width, height: size.height) { _, _ in
          state = state &* 1_664_525 &+ 1_013_904_223
          return Int(state >> 24)
        }
      }
      // Some in their brightness, some in a colour.
      let marks = try Plane(width: size.width, height: size.height) { x, y in
        planes[0][x, y] >= 180 ? 255 : (x + y) % 3 == 0 ? 120 : 0
      }
      return Candidate(
        planes: planes, gradient: try gradient(of: planes[0]),
        coverage: Array(repeating: 0..<Int32(size.width), count: size.height), clipped: index % 3 < 2 ? marks : nil,
        clipsColours: index % 3 < 2)
    }
    let made = Candidates(list: list, size: size, reference: 0, chroma: hasChroma ? jpegChroma : nil)
    let noise = [
      ComparedNoise(constant: 3, slope: 0.1, squaredShift: 0.01),
      ComparedNoise(constant: 1, slope: 0.02, squaredShift: 0.003),
      ComparedNoise(constant: 2, slope: 0.03, squaredShift: 0.004),
    ]
    func distance(
      _ a: Candidate, _ b: Candidate, x: Int, y: Int, explainsColours: Bool
    ) -> (value: Float, isExact: Bool) {
      func levels(_ candidate: Candidate) -> [Float] { (0..<3).map { Float(candidate.planes[$0][x, y]) } }
      let (own, other) = (levels(a), levels(b))
      let marks = [a, b].map { Int($0.clipped?[x, y] ?? 0) }
      var apart = zip(own, other).map { $0 - $1 }
      // Differences of planes are whole numbers; what is left of colours is not.
      let isExact = !explainsColours || marks.contains(255) || marks == [0, 0]
      if !isExact {
        apart = unexplained(
          own.map(Double.init), other.map(Double.init), from: marks.map { $0 > 0 ? Double($0) : .infinity },
          hasChroma: hasChroma
        ).map { Float($0) }
      }
      if marks[0] == 255 && own[0] < other[0] || marks[1] == 255 && own[0] > other[0] { apart[0] = 0 }
      if marks.contains(255) { (apart[1], apart[2]) = (0, 0) }
      let gradient = Float(min(a.gradient[x, y], b.gradient[x, y]))
      let sum = (0..<3).reduce(Float(0)) { sum, plane in
        let variance =
          noise[plane].constant + noise[plane].slope * (0.5 * (own[0] + other[0]))
          + noise[plane].squaredShift * (gradient * gradient)
        return sum + apart[plane] * apart[plane] / variance
      }
      return (sum * (0.5 / 3), isExact)
    }
    // Reaching over the border on all sides.
    let (columns, rows) = (-2..<15, -1..<10)
    let pixels = ComparedPixels(made, noise, most: columns.count * rows.count)
    pixels.take(columns: columns, rows: rows)
    for (a, explainsColours) in (0..<made.count).flatMap({ [($0, false), ($0, true)] }) {
      let distances = pixels.distances(
        of: a, from: 1..<4, but: explainsColours ? CS_CLIPPED_COLOURS : CS_CLIPPED_BRIGHTNESS)
      for b in 1..<4 {
        for (place, (x, y)) in rows.flatMap({ y in columns.map { ($0, y) } }).enumerated() {
          let (x, y) = (min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1))
          let wanted = distance(list[a], list[b], x: x, y: y, explainsColours: explainsColours)
          let error = abs(distances[(b - 1) * pixels.stride + place] - wanted.value)
          #expect(wanted.isExact ? error == 0 : error <= 2e-3 * wanted.value + 1e-3)
        }
      }
    }
  }

  /// By how much the planes of two samples differ without what a colour lacks that is clipped.
  /// - Parameter levels: from which on a colour of each may be clipped.
  private func unexplained(
    _ one: [Double], _ other: [Double], from levels: [Double], hasChroma: Bool
  ) -> [Double] {
    func colours(_ planes: [Double]) -> [Double] {
      guard hasChroma else { return planes }
      let (light, cb, cr) = (planes[0], (planes[1] - 128) / 1024, (planes[2] - 128) / 1024)
      func times(_ factor: Int32, _ chroma: Double) -> Double { Double(factor) * chroma }
      return [
        light + times(jpegChroma.cr_to_red, cr),
        light - times(jpegChroma.cb_to_green, cb) - times(jpegChroma.cr_to_green, cr),
        light + times(jpegChroma.cb_to_blue, cb),
      ]
    }
    let left = zip(colours(one), colours(other)).map { one, other in
      one >= levels[0] && other > one || other >= levels[1] && one > other ? 0 : one - other
    }
    guard hasChroma else { return left }
    let light = 0.299 * left[0] + 0.587 * left[1] + 0.114 * left[2]
    return [light, (left[2] - light) / 1.772, (left[0] - light) / 1.402]
  }

  @Test func whatChromaAddsToTheBrightestColourIsKnown() {
    for colour in [[250.0, 40, 30], [60, 200, 90], [20, 90, 240], [120, 120, 120], [200, 190, 40]] {
      let planes = yCbCr(colour[0], colour[1], colour[2])
      for bits in [8, 12] {
        let chroma = PixelEncoding.yCbCr(.bt601, .full).chromaInLight(bits: bits)!
        let unit = 1 << (bits - 8)
        var light = [Int32(planes[0] * unit)]
        if bits == 8 {
          cs_raise_to_brightest(&light, [UInt8(planes[1])], [UInt8(planes[2])], 1, chroma, 1)
        } else {
          cs_raise_to_brightest(&light, [UInt16(planes[1] * unit)], [UInt16(planes[2] * unit)], 2, chroma, 1)
        }
        #expect(abs(Double(light[0]) / Double(unit) - colour.max()!) <= 2)
      }
    }
    #expect(PixelEncoding.rgb.chromaInLight(bits: 8) == nil && PixelEncoding.grey(.full).chromaInLight(bits: 8) == nil)
  }

  @Test func pairsAreCountedRowByRow() {
    let pairs = (0..<4).flatMap { a in (a + 1..<5).map { pairIndex(a, $0, count: 5) } }
    #expect(pairs == Array(0..<10))
  }

  @Test func edgeCellsAreCut() {
    let grid = CellGrid(pictureSize: Size(width: 9, height: 4))
    #expect(grid.columns == 3 && grid.rows == 1)
    #expect(grid.cell(x: 8, y: 3) == 2 && grid.origin(of: 2) == (8, 0))
  }
}
