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
    let fields = try await ColourFields.measured(in: made(most: 9), threads: 2).fine
    let field = try #require(fields.frames[2]?[0])
    for (x, y) in [(60, 50), (240, 160), (400, 300)] {
      // Less what nobody sees.
      #expect(abs(field.value(x: Float(x), y: Float(y)) - Float(x) * 9 / 480) < 1)
    }
    #expect(fields.frames.indices.allSatisfy { $0 == 2 || fields.frames[$0] == nil })
  }

  /// On the right five of eight frames show somebody brighter, so that their median lies between the place and people.
  @Test func aCrowdsMedianIsNobodysColour() async throws {
    let people = [131, 126, 150, 160, 200]
    let made = try await candidates(8, size: Self.size, reference: 4) { frame, x, _ in
      x >= 240 && frame < people.count ? people[frame] : 120
    }
    let fields = try await ColourFields.measured(in: made, threads: 2).fine
    for frame in people.count..<8 {
      #expect(abs(fields.value(of: frame, plane: 0, x: 400, y: 160)) < 0.5)
    }
  }

  @Test func whatNobodySeesIsLeftAlone() async throws {
    #expect(try await ColourFields.measured(in: made(most: 1), threads: 1).fine.frames.allSatisfy { $0 == nil })
  }

  /// What is compared is brought to one light; somebody who stands there stays as dark as he is.
  @Test func candidatesAreLevelledByTheCoarsePart() async throws {
    let made = try await made(most: 12)
    let coarse = try await ColourFields.measured(in: made, threads: 2).coarse
    let levelled = try await made.levelled(by: coarse, threads: 2)
    func mean(_ candidates: Candidates, _ frame: Int, x: Int) -> Double {
      Double((20..<100).reduce(0) { $0 + candidates.list[frame].planes[0][x, $1] }) / 80
    }
    for x in [100, 240, 380] {
      #expect(abs(mean(made, 2, x: x) - mean(made, 0, x: x)) >= 2)
      #expect(abs(mean(levelled, 2, x: x) - mean(levelled, 0, x: x)) < 1.6)
    }
    #expect(levelled.list[1].planes == made.list[1].planes && levelled.list[0].planes == made.list[0].planes)
    #expect(levelled.list[2].planes != made.list[2].planes)
  }

  @Test func clippedSamplesStayClippedInAnyLight() async throws {
    let made = try await candidates(2, saturation: 240) { frame, x, _ in x < 12 ? 250 : 100 + frame }
    var darker = BlockField(pictureSize: made.size)
    for block in darker.values.indices { darker.values[block] = -20 }
    let fields = ColourFields(frames: [nil, [darker]], median: [BlockField(pictureSize: made.size)])
    let levelled = try await made.levelled(by: fields, threads: 1).list[1]
    #expect(levelled.planes[0][3, 3] == 230 && levelled.planes[0][20, 3] == 81)
    #expect(levelled.clipped?[3, 3] == 255 && levelled.clipped?[20, 3] == 0)
  }

  @Test func rowsAreWrittenAsTheirNumbers() {
    for width in [1, 8, 9, 71] {
      var field = BlockField(pictureSize: Size(width: width, height: 40))
      for block in field.values.indices { field.values[block] = Float(block * block % 7) }
      var rows = BlockFieldRows(field)
      var row = [Float](repeating: .nan, count: width)
      for y in [0, 9, 39] {
        row.withUnsafeMutableBufferPointer { rows.write(row: y, into: $0) }
        #expect(row.indices.allSatisfy { abs(row[$0] - field.value(x: Float($0), y: Float(y))) < 1e-4 })
      }
    }
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
