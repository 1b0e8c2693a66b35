import Frames
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

  @Test func everyPixelAndPairHasItsDistance() async throws {
    let size = Size(width: 13, height: 9)
    var state: UInt32 = 7
    let list = try (0..<5).map { index in
      let planes = try (0..<3).map { _ in
        try Plane(width: size.width, height: size.height) { _, _ in
          state = state &* 1_664_525 &+ 1_013_904_223
          return Int(state >> 24)
        }
      }
      return Candidate(
        planes: planes, gradient: try gradient(of: planes[0]),
        coverage: Array(repeating: 0..<Int32(size.width), count: size.height),
        clipped: index % 3 < 2 ? try clipped(planes[0], from: 180) : nil)
    }
    let made = Candidates(list: list, size: size, reference: 0, hasChroma: true)
    let noise = [
      ComparedNoise(constant: 3, slope: 0.1, squaredShift: 0.01),
      ComparedNoise(constant: 1, slope: 0.02, squaredShift: 0.003),
      ComparedNoise(constant: 2, slope: 0.03, squaredShift: 0.004),
    ]
    func distance(_ a: Candidate, _ b: Candidate, x: Int, y: Int) -> Float {
      func levels(_ plane: Int) -> (Float, Float) { (Float(a.planes[plane][x, y]), Float(b.planes[plane][x, y])) }
      let (own, other) = levels(0)
      let (isOwnClipped, isOtherClipped) = ((a.clipped?[x, y] ?? 0) > 0, (b.clipped?[x, y] ?? 0) > 0)
      let isExplained = isOwnClipped && own < other || isOtherClipped && own > other
      return (0..<3).reduce(Float(0)) { sum, plane in
        let (one, two) = levels(plane)
        let isLeftOut = plane == 0 ? isExplained : isOwnClipped || isOtherClipped
        let gradient = Float(min(a.gradient[x, y], b.gradient[x, y]))
        let variance =
          noise[plane].constant + noise[plane].slope * (0.5 * (own + other))
          + noise[plane].squaredShift * (gradient * gradient)
        return isLeftOut ? sum : sum + (one - two) * (one - two) / variance
      } * (0.5 / 3)
    }
    // Reaching over the border on all sides.
    let (columns, rows) = (-2..<15, -1..<10)
    let pixels = ComparedPixels(made, noise, most: columns.count * rows.count)
    pixels.take(columns: columns, rows: rows)
    for a in 0..<made.count {
      let distances = pixels.distances(of: a, from: 1..<4)
      for b in 1..<4 {
        for (place, (x, y)) in rows.flatMap({ y in columns.map { ($0, y) } }).enumerated() {
          let (x, y) = (min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1))
          #expect(distances[(b - 1) * pixels.stride + place] == distance(list[a], list[b], x: x, y: y))
        }
      }
    }
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
