import Testing

@testable import Frames

@Suite struct SmoothFieldTests {
  private let size = Size(width: 101, height: 51)

  @Test func functionsAreTakenAtTheNodes() {
    let field = SmoothField(columns: 3, rows: 2, size: size) { Float($0.x + 10 * $0.y) }
    #expect(field.values == [0, 50, 100, 500, 550, 600])
    #expect(field(Point(x: 25, y: 25)) == 275 && field.map { -$0 }(Point(x: 25, y: 25)) == -275)
  }

  /// Fields that are added count in levels of 8 bits, those that are there in the frame's own.
  @Test func offsetsAddUp() throws {
    let plane = try Plane(width: 101, height: 51, bits: 10) { _, _ in 0 }
    let frame = Frame(planes: [plane], grids: [.full], encoding: .grey(.full), name: "drawn")
    var alignment = Alignment.reference(planes: 1)
    alignment.photometric.channels[0].offsets = SmoothField(columns: 2, rows: 2, size: size, values: [1, 1, 1, 1])
    let frames = [RegisteredFrame(index: 0, frame: frame, alignment: alignment)]
    let field = SmoothField(columns: 3, rows: 2, size: size, values: [2, 2, 2, 2, 2, 2])
    let levelled = frames.levelled(by: [0: [field]])
    #expect(levelled[0].alignment.photometric.channels[0].offsets?(Point(x: 7, y: 9)) == 9)
    #expect(frames.levelled(by: [1: [field]])[0].alignment.photometric == alignment.photometric)
  }
}
