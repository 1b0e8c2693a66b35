import Frames
import Stacking
import Testing

struct CommonCropTests {
  let size = Size(width: 640, height: 480)

  func footprint(_ homography: Homography) throws -> Footprint {
    let alignment = Alignment(homography: homography, photometric: .identity(planes: 1))
    return try #require(Footprint(alignment: alignment, frameSize: size))
  }

  @Test func identityCoversAll() throws {
    let region = commonRegion(size: size, footprints: [try footprint(.identity)])
    #expect(region == size.bounds)
  }

  @Test func shiftsCutTheirSides() throws {
    let footprints = [try footprint(.translation(x: 10.4, y: -20)), try footprint(.translation(x: -7, y: 3))]
    // 10.4: the first pixel whose centre the frame reaches is 10, since a pixel reaches half a step past its centre.
    #expect(commonRegion(size: size, footprints: footprints) == Region(x: 10, y: 3, width: 623, height: 457))
  }

  @Test func isWithinEveryFrameAndCannotGrow() throws {
    let maps = [
      Homography(0.99, 0.03, 5, -0.03, 0.99, 12, 1e-5, 0), Homography(1.01, -0.05, 9, 0.05, 1.01, -15, 0, -2e-5),
    ]
    let footprints = try maps.map(footprint)
    let region = try #require(commonRegion(size: size, footprints: footprints))
    func covered(_ r: Region) -> Bool {
      let corners = [(r.x, r.y), (r.maxX - 1, r.y), (r.x, r.maxY - 1), (r.maxX - 1, r.maxY - 1)]
      return corners.allSatisfy { x, y in
        footprints.allSatisfy { $0.covers(Point(x: Double(x), y: Double(y))) }
      }
    }
    #expect(covered(region))
    for (dx, dy, dw, dh) in [(-1, 0, 1, 0), (0, -1, 0, 1), (0, 0, 1, 0), (0, 0, 0, 1)] {
      let grown = Region(
        x: region.x + dx, y: region.y + dy, width: region.width + dw, height: region.height + dh)
      #expect(!covered(grown) || !size.bounds.contains(grown))
    }
    // The largest one found by trying every pair of rows on a coarse raster is no larger by more than its step.
    #expect(region.area > 500 * 360)
  }

  @Test func respectsChromaSteps() throws {
    let region = try #require(
      commonRegion(size: size, footprints: [try footprint(.translation(x: 11, y: 7))], alignment: (2, 2)))
    #expect(region.x == 12 && region.y == 8 && region.maxX == 640 && region.maxY == 480)
  }

  @Test func isNilWithoutOverlap() throws {
    #expect(commonRegion(size: size, footprints: [try footprint(.translation(x: 700, y: 0))]) == nil)
  }
}
