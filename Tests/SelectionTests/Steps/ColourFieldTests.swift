import Frames
import Testing

@testable import Selection

@Suite struct ColourFieldTests {
  private static let size = Size(width: 480, height: 320)

  /// Frame 2 darkens from left to right by up to `most` levels; somebody large stands in frame 1.
  private func made(most: Int) async throws -> Candidates {
    try await candidates(6, size: Self.size) { frame, x, y in
      let wall = 110 + (x / 8 + y / 8) % 2 * 20
      if frame == 1, (100..<220).contains(x), (80..<300).contains(y) { return wall - 60 }
      return frame == 2 ? wall - x * most / Self.size.width : wall
    }
  }

  @Test func smoothChangesAreFoundAndPeopleAreNot() async throws {
    let fields = try await ColourFields(of: made(most: 9), threads: 2)
    let field = try #require(fields.frames[2]?[0])
    for (x, y) in [(60, 50), (240, 160), (400, 300)] {
      // Less what nobody sees.
      #expect(abs(field.value(x: Float(x), y: Float(y)) - Float(x) * 9 / 480) < 1)
    }
    #expect(fields.frames.indices.allSatisfy { $0 == 2 || fields.frames[$0] == nil })
  }

  @Test func whatNobodySeesIsLeftAlone() async throws {
    #expect(try await ColourFields(of: made(most: 1), threads: 1).frames.allSatisfy { $0 == nil })
  }

  /// Between nodes the two are not the same lines.
  @Test func fieldsLieOverTheReferenceAsOverItsSmallPicture() {
    var field = BlockField(pictureSize: Size(width: 96, height: 64))
    for block in field.values.indices { field.values[block] = Float(block % field.size.width) }
    let smooth = field.smoothField(over: Size(width: 288, height: 192), factor: 3)
    for x in [30, 100, 201] {
      #expect(abs(smooth(Point(x: Double(x), y: 90)) - Double(field.value(x: (Float(x) - 1) / 3, y: 30))) < 0.25)
    }
  }
}
