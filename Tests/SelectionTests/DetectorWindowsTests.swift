import Frames
import Testing

@testable import Selection

/// Where the detector is asked to look, on pictures of 400x300 pixels and cells of 4.
@Suite struct DetectorWindowsTests {
  private static let size = Size(width: 400, height: 300)

  private func windows(open regions: [Region]) -> DetectorWindows {
    let open = (0..<75).flatMap { y in
      (0..<100).map { x in regions.contains { $0.contains(x: x, y: y) } }
    }
    return DetectorWindows(
      undecided: RegionMask(size: Size(width: 100, height: 75), isSet: open), cell: 4, in: Self.size)
  }

  @Test func nothingOpenNeedsNoLook() {
    // So few cells are noise.
    for open in [[], [Region(x: 10, y: 10, width: 11, height: 1)]] {
      let found = windows(open: open)
      #expect(found.movers.isEmpty && found.people.isEmpty)
    }
    #expect(windows(open: [Region(x: 10, y: 10, width: 4, height: 3)]).movers.count == 1)
  }

  @Test func peopleAreLookedAtCloseUp() {
    // A head and legs of one person, and another far away.
    let found = windows(open: [
      Region(x: 20, y: 20, width: 4, height: 3), Region(x: 20, y: 28, width: 4, height: 4),
      Region(x: 80, y: 50, width: 3, height: 6),
    ])
    let expected = [Region(x: 40, y: 56, width: 96, height: 96), Region(x: 294, y: 180, width: 64, height: 64)]
    #expect(found.movers == expected && found.people == expected)
  }

  @Test func neighboursShareALook() {
    let found = windows(open: [Region(x: 20, y: 20, width: 4, height: 8), Region(x: 32, y: 22, width: 4, height: 8)])
    #expect(found.movers.count == 1 && found.people.count == 1)
  }

  @Test func crowdsAreLookedAtAsAWhole() {
    let found = windows(open: [Region(x: 2, y: 2, width: 40, height: 40), Region(x: 60, y: 2, width: 38, height: 70)])
    #expect(found.movers == [Self.size.bounds])
    // Of all squares, that cannot be larger than the picture, in both directions.
    #expect(found.people == [0, 100].map { Region(x: $0, y: 0, width: 300, height: 300) })
  }

  /// Wherever something is open, a square lies over it; where nothing is, none.
  @Test func squaresCoverWhatIsOpen() {
    let size = Size(width: 1000, height: 700)
    let cells = Size(width: 250, height: 175)
    for band in [Region(x: 10, y: 80, width: 230, height: 12), Region(x: 120, y: 4, width: 9, height: 168)] {
      let open = (0..<cells.height).flatMap { y in
        (0..<cells.width).map { x in band.contains(x: x, y: y) }
      }
      let squares = DetectorWindows(undecided: RegionMask(size: cells, isSet: open), cell: 4, in: size).people
      #expect(squares.allSatisfy { $0.width == 500 && $0.height == 500 && $0.intersection(size.bounds) == $0 })
      for y in band.y..<band.maxY {
        for x in band.x..<band.maxX {
          let cell = Region(x: 4 * x, y: 4 * y, width: 4, height: 4)
          #expect(squares.contains { $0.contains(cell) })
        }
      }
      #expect(squares.count <= 4)
    }
  }

  @Test func costFollowsWhatIsSeen() {
    #expect(MoverFinder.seen(of: Size(width: 64, height: 60)) == Size(width: 160, height: 160))
    #expect(MoverFinder.seen(of: Size(width: 97, height: 60)) == Size(width: 224, height: 160))
    #expect(MoverFinder.seen(of: Size(width: 700, height: 900)) == Size(width: 320, height: 384))
    #expect(MoverFinder.seen(of: Size(width: 900, height: 9)) == Size(width: 704, height: 32))
  }
}
