import Frames
import ShimSupport
import Testing

@testable import Selection

/// What networks answer becomes boxes.
struct FoundBoxesTests {
  private func detection(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ score: Float) -> Detection {
    Detection(box: Region(x: x, y: y, width: width, height: height), score: score)
  }

  @Test func theSurestOfThoseThatOverlapStays() {
    let found = [
      detection(0, 0, 10, 10, 0.5), detection(1, 0, 10, 10, 0.9), detection(0, 0, 10, 20, 0.6),
      detection(40, 0, 5, 5, 0.3),
      detection(5, 0, 10, 10, 0.5),
    ]
    // Those stay that share no more than half with anybody surer.
    #expect(surest(found, overlap: 0.5, count: 9) == [found[1], found[2], found[4], found[3]])
    #expect(surest(found, overlap: 0.5, count: 1) == [found[1]])
    #expect(surest(found, overlap: 1, count: 9).map(\.score) == [0.9, 0.6, 0.5, 0.5, 0.3])
    #expect(surest([], overlap: 0.5, count: 9).isEmpty)
  }

  @Test func boxesAreInPixelsTowardsZero() {
    let box = ScoredBox(x: -0.255, y: 0.5, width: 0.999, height: 2, score: 1)
    #expect(box.detection(in: Size(width: 100, height: 9))?.box == Region(x: -25, y: 4, width: 99, height: 18))
    for size in [Float.infinity, .nan, 1e30] {
      #expect(ScoredBox(x: 0, y: 0, width: size, height: 1, score: 1).detection(in: Size(width: 9, height: 9)) == nil)
    }
  }

  /// A map of two places, one box each, three classes: people, aeroplanes, and cars.
  private func boxes(_ samples: [Float], _ settings: String = "") throws -> [ScoredBox] {
    let text = "[yolo]\nmask=1\nanchors=1,1, 8,4\nclasses=5\n" + settings
    let head = try YoloHead(try DarknetSection.all(in: Array(text.utf8))[0])
    #expect(head.channels == 10 && samples.count == 20)
    return samples.withUnsafeBufferPointer { samples in
      head.boxes(
        Answer(volume: Volume(channels: 10, height: 1, width: 2), samples: samples),
        seen: Size(width: 32, height: 16), threshold: 0.2)
    }
  }

  /// Of the first place nothing is said.
  private func second(_ x: Float, _ y: Float, _ width: Float, _ height: Float, _ rest: [Float]) -> [Float] {
    Array(repeating: -20, count: 10) + [x, y, width, height] + rest
  }

  @Test func aPlaceTellsABox() throws {
    let found = try boxes(second(0, 0, 0, .zero, [20, 20, -20, -20, -20, -20]))
    let box = try #require(found.first)
    #expect(found.count == 1 && abs(box.score - 1) < 1e-6)
    // The middle of the second half; 8 of 32 pixels, and 4 of 16.
    #expect(abs(box.x - (0.75 - 0.125)) < 1e-6 && abs(box.y - (0.5 - 0.125)) < 1e-6)
    #expect(abs(box.width - 0.25) < 1e-6 && abs(box.height - 0.25) < 1e-6)
    let wide = try boxes(second(20, 0, 0, 0, [20, 20, -20, -20, -20, -20]), "scale_x_y=2\n")
    #expect(abs(wide[0].x - (0.5 + 0.75 - 0.125)) < 1e-6)
  }

  @Test func whatIsUnsureOrStandsStillIsNone() throws {
    // Presence times the class: 0.5 * 0.5.
    #expect(try boxes(second(0, 0, 0, 0, [0, 0, -20, -20, -20, -20])).map(\.score) == [0.25])
    #expect(try boxes(second(0, 0, 0, 0, [0, 0, -20, -20, -20, -20]), "thresh=0.25\n").isEmpty)
    #expect(try boxes(second(0, 0, 0, 0, [0, -1, -20, -20, -20, -20])).isEmpty)
    #expect(try boxes(second(0, 0, 0, 0, [-20, 20, -20, -20, -20, -20])).isEmpty)
    // An aeroplane is surer than a person.
    #expect(try boxes(second(0, 0, 0, 0, [20, 1, -20, -20, -20, 2])).isEmpty)
    #expect(try boxes(second(0, 0, 0, .nan, [.nan, .nan, .nan, .nan, .nan, .nan])).isEmpty)
  }

  @Test func windowsCountTheirSteps() {
    let same = Window(side: 3, step: 2, margins: .same)
    #expect([300, 150, 75, 19].map(same.results) == [150, 75, 38, 10])
    #expect(
      [300, 75].map { same.margins($0).before } == [0, 1] && [300, 75].map { same.margins($0).after } == [1, 1])
    let fixed = Window(side: 2, step: 2, margins: .fixed(before: 0, after: 1))
    #expect([416, 13, 1].map(fixed.results) == [208, 7, 1])
    #expect(Window(side: 5, step: 1, margins: .fixed(before: 1, after: 1)).results(2) == 0)
  }
}
