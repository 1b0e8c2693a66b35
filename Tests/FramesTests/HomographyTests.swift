import Frames
import Testing

struct HomographyTests {
  let bent = Homography(1.02, 0.03, -12, -0.02, 0.99, 8, 1.5e-5, -2e-5)

  @Test func inverseUndoesTheMap() throws {
    let inverse = try #require(bent.inverse)
    for p in [Point(x: 0, y: 0), Point(x: 4031, y: 3023), Point(x: 100.5, y: 7)] {
      #expect(inverse(bent(p)).distance(to: p) < 1e-8)
    }
  }

  @Test func productAppliesTheRightFactorFirst() throws {
    let shift = Homography.translation(x: 5, y: -3)
    let combined = bent * shift
    let product = try #require(combined)
    let p = Point(x: 10, y: 20)
    #expect(product(p).distance(to: bent(shift(p))) < 1e-9)
  }

  @Test func refusesWhatIsNoMap() {
    #expect(Homography(elements: [1, 0, 0, 0, 1, 0, 0, 0]) == nil)
    #expect(Homography(elements: [1, 0, 0, 0, 1, 0, 0, 0, 0]) == nil)
    #expect(Homography(elements: [.nan, 0, 0, 0, 1, 0, 0, 0, 1]) == nil)
    #expect(Homography(1, 2, 0, 2, 4, 0, 0, 0).inverse == nil)
  }

  @Test func lastElementBecomesOne() throws {
    let map = try #require(Homography(elements: [2, 0, 4, 0, 2, 6, 0, 0, 2]))
    #expect(map == .translation(x: 2, y: 3))
  }
}
