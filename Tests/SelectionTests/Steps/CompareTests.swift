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
    let values = PixelValues(made)
    var distances = [Four](repeating: .zero, count: made.count * values.blocks)
    values.gather(x: 5, y: 5)
    values.pairDistances(noise, into: &distances)
    return distances[0][1]
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
