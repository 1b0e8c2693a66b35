import CShimKernels
import Frames
import Testing

/// Coverage, and that bytes depend neither on the processor nor on the division into tiles.
struct WarpCoverageTests {
  static let maps: [Homography] = [
    .identity, .translation(x: 20.5, y: -30.5), WarpTests.rotation(10), WarpTests.rotation(-45),
    Homography(1.02, 0.03, -20, -0.02, 1.01, 12, 1e-4, -2e-4), Homography(0.9, 0.1, 1000, 0, 1, 0, 0, 0),
    Homography(1, 0, 0, 0, 1, 0, -0.005, 0),  // the camera's horizon crosses the picture
  ]

  @Test(arguments: maps.indices)
  func spansAreThePixelsOnTheFrame(map: Int) throws {
    let model = WarpModel(try WarpTests.noise(240, 200, bits: 8), Self.maps[map])
    let region = Region(x: 0, y: 0, width: 240, height: 200)
    let result = model.render(region)
    var count = 0
    for y in 0..<200 {
      for x in 0..<240 where !model.isBehindTheCamera(x, y) {
        let margin = model.margin(model.position(x, y))
        // Right on the outline, rounding may decide; near the horizon, the kernel leaves out a little more.
        guard abs(margin) > 0.02, !model.isNearTheHorizon(x, y) else { continue }
        #expect(result.spans[y].contains(x) == (margin > 0), "(\(x), \(y)): \(margin)")
      }
      count += result.spans[y].count
    }
    let expected = count == 0 ? CS_WARP_UNCOVERED : count == region.area ? CS_WARP_COVERED : CS_WARP_PARTLY_COVERED
    #expect(result.coverage == expected)
  }

  @Test func aRowThatAMeshTearsApartKeepsItsLongestPart() throws {
    var model = WarpModel(try WarpTests.noise(320, 64, bits: 8), .identity)
    var shift = [Float](repeating: 0, count: 2 * 11)
    (shift[3], shift[14]) = (200, 200)
    model.shiftY = SmoothField(columns: 11, rows: 2, size: Size(width: 320, height: 64), values: shift)
    let result = model.render(Region(x: 0, y: 0, width: 320, height: 64))
    // Around column 96 the mesh points below the picture.
    for span in result.spans { #expect(span.upperBound == 320 && (108...140).contains(span.lowerBound)) }
  }

  @Test(arguments: [8, 16], maps.indices)
  func everyProcessorComputesTheSameBytes(bits: Int, map: Int) throws {
    var model = WarpModel(try WarpTests.noise(240, 200, bits: bits), Self.maps[map])
    (model.gain, model.offset, model.pivot) = (1.07, -1.3, 20)
    let region = Region(x: 0, y: 0, width: 240, height: 200)
    #expect(model.render(region) == model.render(region, baseline: true))
  }

  @Test(arguments: [8, 16], maps.indices)
  func tilesComputeTheSameBytes(bits: Int, map: Int) throws {
    var model = WarpModel(try WarpTests.noise(240, 200, bits: bits), Self.maps[map])
    model.gains = SmoothField(
      columns: 3, rows: 3, size: Size(width: 240, height: 200), values: (0..<9).map { 0.9 + 0.03 * Float($0) })
    let whole = model.render(Region(x: 0, y: 0, width: 240, height: 200))
    for tile in [
      Region(x: 0, y: 0, width: 64, height: 64), Region(x: 37, y: 51, width: 1, height: 1),
      Region(x: 16, y: 100, width: 224, height: 16), Region(x: 101, y: 3, width: 99, height: 190),
    ] {
      let part = model.render(tile)
      for y in tile.y..<tile.maxY {
        let span = part.spans[y - tile.y]
        #expect(span.isEmpty || span == whole.spans[y].clamped(to: tile.x..<tile.maxX))
        for x in span { #expect(part.sample(x, y) == whole.sample(x, y)) }
      }
    }
  }
}

extension WarpModel {
  private func depth(_ x: Int, _ y: Int) -> Double {
    let (p, h) = (pixel(x, y), toSource.elements)
    return h[6] * p.x + h[7] * p.y + 1
  }

  func isBehindTheCamera(_ x: Int, _ y: Int) -> Bool { depth(x, y) <= 0 }

  /// Within the lattice cells where perspective bends too much for what lies between nodes.
  func isNearTheHorizon(_ x: Int, _ y: Int) -> Bool { depth(x, y) < 0.9 }
}
