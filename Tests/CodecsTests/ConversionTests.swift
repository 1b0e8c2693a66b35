import Frames
import Testing

@testable import Codecs

@Suite struct ConversionTests {
  /// Colour bars at 75 % and their codes in ITU-R BT.709, limited range, 8 bits (SMPTE RP 219).
  static let bars: [(rgb: [Int], code: [Int])] = [
    ([191, 191, 191], [180, 128, 128]), ([191, 191, 0], [168, 44, 136]), ([0, 191, 191], [145, 147, 44]),
    ([0, 191, 0], [133, 63, 52]), ([191, 0, 191], [63, 193, 204]), ([191, 0, 0], [51, 109, 212]),
    ([0, 0, 191], [28, 212, 120]), ([0, 0, 0], [16, 128, 128]), ([255, 255, 255], [235, 128, 128]),
  ]

  @Test func barsHaveTheCodesOfTheStandard() throws {
    let planes = try (0..<3).map { channel in
      try Plane(width: Self.bars.count, height: 2) { x, _ in Self.bars[x].rgb[channel] }
    }
    let frame = Frame(planes: planes, encoding: .rgb, name: "bars")
    let coded = try frame.converted(to: PixelLayout(encoding: .yCbCr(.bt709, .limited), bits: 8))
    for (x, bar) in Self.bars.enumerated() {
      for channel in 0..<3 { #expect(abs(coded.planes[channel][x, 0] - bar.code[channel]) <= 1) }
    }
    #expect(largestDifference(try coded.asRGB(), frame) <= 2)
  }

  @Test(
    arguments: [YCbCrMatrix.bt601, .bt709, .bt2020],
    [(SampleRange.full, 8), (.limited, 8), (.full, 12), (.limited, 10)]
  )
  func rampStaysWithinOneLevel(_ matrix: YCbCrMatrix, _ kind: (range: SampleRange, bits: Int)) throws {
    let plane = try Plane(width: 256, height: 2) { x, _ in x }
    let frame = Frame(planes: [plane, plane, plane], encoding: .rgb, name: "ramp")
    let layout = PixelLayout(
      encoding: .yCbCr(matrix, kind.range), bits: kind.bits,
      grids: [.full, PlaneGrid(scaleX: 2, scaleY: 2), PlaneGrid(scaleX: 2, scaleY: 2)])
    #expect(largestDifference(try frame.converted(to: layout).asRGB(bits: 8), frame) <= 1)
  }

  @Test(arguments: [8, 10, 12, 16]) func everyDepthComesBackExactly(_ bits: Int) throws {
    let frame = try testFrame(64, 16, bits: 8, encoding: .rgb)
    #expect(largestDifference(try frame.asRGB(bits: bits).asRGB(bits: 8), frame) == 0)
  }

  /// A ramp is its own interpolation, wherever the samples lie.
  @Test(arguments: [
    PlaneGrid(scaleX: 2, scaleY: 2), PlaneGrid(scaleX: 2, scaleY: 2, offsetX: 0, offsetY: 0.5),
    PlaneGrid(scaleX: 2, scaleY: 1, offsetX: -0.5, offsetY: 0), PlaneGrid(scaleX: 4, scaleY: 1), .full,
  ])
  func chromaKeepsItsPlace(_ grid: PlaneGrid) throws {
    let size = Size(width: 64, height: 32)
    func ramp(_ grid: PlaneGrid) throws -> Plane {
      let plane = grid.planeSize(for: size)
      return try Plane(width: plane.width, height: plane.height, bits: 16) { x, y in
        Int(1000 + 200 * (Double(grid.scaleX * x) + grid.offsetX) + 300 * (Double(grid.scaleY * y) + grid.offsetY))
      }
    }
    let luma = try Plane(width: 64, height: 32, bits: 16) { _, _ in 0 }
    for target in [PlaneGrid.full, PlaneGrid(scaleX: 2, scaleY: 2), PlaneGrid(scaleX: 2, scaleY: 1)] {
      let from = Frame(
        planes: [luma, try ramp(grid), try ramp(grid)], grids: [.full, grid, grid], encoding: .yCbCr(.bt601, .full),
        name: "ramp")
      var layout = from.layout
      layout.grids = [.full, target, target]
      let plane = try from.converted(to: layout).planes[1]
      let expected = try ramp(target)
      for y in 4..<expected.height - 4 {
        for x in 4..<expected.width - 4 { #expect(abs(plane[x, y] - expected[x, y]) <= 1) }
      }
    }
  }
}
