import Frames
import Testing

@testable import Selection

/// Where the detector is asked to look, on pictures of 400x300 pixels and cells of 4.
@Suite struct DetectorWindowsTests {
  private static let size = Size(width: 400, height: 300)

  private func windows(open regions: [Region]) -> [Region] {
    let open = (0..<75).flatMap { y in
      (0..<100).map { x in regions.contains { $0.contains(Region(x: x, y: y, width: 1, height: 1)) } }
    }
    return detectorWindows(
      open: RegionMask(size: Size(width: 100, height: 75), isSet: open), cell: 4, in: Self.size)
  }

  @Test func nothingOpenNeedsNoLook() {
    #expect(windows(open: []).isEmpty)
    // So few cells are noise.
    #expect(windows(open: [Region(x: 10, y: 10, width: 5, height: 1)]).isEmpty)
  }

  @Test func peopleAreLookedAtCloseUp() {
    // A head and legs of one person, and another far away.
    let found = windows(open: [
      Region(x: 20, y: 20, width: 4, height: 3), Region(x: 20, y: 28, width: 4, height: 4),
      Region(x: 80, y: 50, width: 3, height: 6),
    ])
    #expect(found == [Region(x: 40, y: 56, width: 96, height: 96), Region(x: 294, y: 180, width: 64, height: 64)])
  }

  @Test func neighboursShareALook() {
    let found = windows(open: [Region(x: 20, y: 20, width: 4, height: 8), Region(x: 32, y: 22, width: 4, height: 8)])
    #expect(found.count == 1)
  }

  @Test func crowdsAreLookedAtAsAWhole() {
    let found = windows(open: [Region(x: 2, y: 2, width: 40, height: 40), Region(x: 60, y: 2, width: 38, height: 70)])
    #expect(found == [Self.size.bounds])
  }

  @Test func costFollowsWhatIsSeen() {
    #expect(Network.side(for: Size(width: 64, height: 60)) == 160)
    #expect(Network.side(for: Size(width: 97, height: 60)) == 224)
    #expect(Network.side(for: Size(width: 900, height: 700)) == 416)
  }
}
