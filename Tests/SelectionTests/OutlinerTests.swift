import FileBuilding
import Foundation
import Frames
import ShimSupport
import Testing

@testable import Selection

/// Outlines of people, and what becomes of them in a frame.
struct OutlinerTests {
  private static let model: URL = {
    let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? NSHomeDirectory() + "/.local/share"
    return URL(fileURLWithPath: data + "/cleanplate/selfie-segmentation.tflite")
  }()

  /// A dark body with a head before a sky; certainties are those of TensorFlow Lite 2.14, which may round them otherwise.
  @Test(.enabled(if: (try? model.checkResourceIsReachable()) == true, "needs the detector (Scripts/fetch-detector)"))
  func theNetworkSeesWhatTensorFlowDoes() throws {
    let outliner = try Outliner(model: Array(Data(contentsOf: Self.model)))
    let rgb = (0..<256 * 256).flatMap { place -> [UInt8] in
      let (x, y) = (place % 256, place / 256)
      let (column, row) = (x - 128, y - 190)
      if column * column + (y - 75) * (y - 75) <= 28 * 28 { return [210, 160, 130] }
      if 4 * column * column + row * row <= 90 * 90 { return [40, 50, 90] }
      return [UInt8(160 + y / 8), UInt8(170 + x / 16), UInt8(200 - y / 4)]
    }
    let window = Region(x: 0, y: 0, width: 256, height: 256)
    let outline = try outliner.outline(rgb, window: window, Workspace())
    for (x, y, certainty) in [
      (128, 75, 2), (128, 190, 255), (128, 120, 144), (60, 190, 0), (20, 20, 0), (240, 128, 0), (100, 75, 16),
      (128, 102, 166), (85, 190, 117), (171, 150, 0),
    ] {
      #expect(abs(Int(outline.certainty[256 * y + x]) - certainty) <= 2, "\(x), \(y)")
    }
    #expect(outline.samples(in: window) == outline.certainty)
  }

  @Test func anotherModelIsRefused() {
    #expect(throws: ShimError.self) { try Outliner(model: LiteModelFile.whole().bytes) }
    #expect(throws: ShimError.self) { try Outliner(model: Array("a picture".utf8)) }
  }

  /// Windows of so many pixels become one sample with as many channels, and those a square of samples.
  private func named(side: Int32, learned: Float) -> [UInt8] {
    var model = LiteModelFile()
    let input = model.tensor([1, 3 * side, 3 * side, 3])
    let kernel = model.tensor([1, side, side, 3], [Float](repeating: learned, count: Int(3 * side * side)))
    let small = model.operation(
      .convolution, [input, kernel, model.tensor([1], [0])], to: [1, 3, 3, 1],
      options: [0: .byte(1), 1: .number(side), 2: .number(side)])
    let square = model.tensor([1, side, side, 1], [Float](repeating: 1, count: Int(side * side)))
    let output = model.operation(
      .own, [small, square, model.tensor([1], [0])], to: [1, 3 * side, 3 * side, 1],
      name: "Convolution2DTransposeBias")
    return model.bytes(from: [input], to: [output])
  }

  /// Models that somebody names may have learned anything.
  @Test func numbersThatAreNoneOutlineNobody() throws {
    for learned in [Float.nan, -.infinity] {
      let outliner = try Outliner(model: named(side: 2, learned: learned))
      let outline = try outliner.outline(
        [UInt8](repeating: 9, count: 3 * 400), window: Region(x: 0, y: 0, width: 20, height: 20), Workspace())
      #expect(outline.certainty.allSatisfy { $0 == 0 }, "\(learned)")
    }
  }

  @Test func squaresThatDoNotFillAPictureAreRefused() {
    #expect(throws: ShimError.self) { try Outliner(model: named(side: 3, learned: 1)) }
  }

  @Test func whoeverIsOutlinedIsSeenWithWhatIsAroundHim() {
    let size = Size(width: 400, height: 300)
    let inside = Region(x: 180, y: 100, width: 40, height: 100)
    #expect(Outliner.window(around: inside, in: size) == Region(x: 100, y: 50, width: 200, height: 200))
    // At the picture's border, beyond it, and nowhere.
    #expect(
      Outliner.window(around: Region(x: -20, y: 240, width: 40, height: 100), in: size)
        == Region(x: 0, y: 180, width: 120, height: 120))
    #expect(Outliner.window(around: size.bounds, in: size) == size.bounds)
    let beyond = Outliner.window(around: Region(x: 900, y: -900, width: 10, height: 10), in: size)
    #expect(!beyond.isEmpty && size.bounds.contains(beyond))
  }

  @Test func samplesLieBetweenThoseOfTheNetwork() {
    let outline = Outline(window: Region(x: 10, y: 20, width: 4, height: 4), side: 2, certainty: [0, 200, 100, 100])
    // From middle to middle, and as the outermost ones beyond those.
    #expect(
      outline.samples(in: Region(x: 9, y: 20, width: 6, height: 2))
        == [0, 0, 50, 150, 200, 0, 0, 25, 62, 137, 175, 0])
    #expect(outline.samples(in: Region(x: 0, y: 0, width: 2, height: 1)) == [0, 0])
  }

  private func seen(_ outline: Outline, _ box: Region, score: Float = 0.5) throws -> Plane {
    let plane = try PlaneBuilder(width: 40, height: 30, bits: 8)
    plane.clear()
    plane.raise(Detection(box: box, score: score), outline)
    return plane.finish()
  }

  @Test func onlyWhatIsOutlinedIsSeen() throws {
    // The left half of the box, and somebody else far to the left.
    let box = Region(x: 16, y: 10, width: 8, height: 10)
    let certainty = (0..<40 * 40).map { UInt8($0 % 40 < 20 ? 255 : 0) }
    let window = Region(x: 0, y: 0, width: 40, height: 40)
    let plane = try seen(Outline(window: window, side: 40, certainty: certainty), box)
    #expect(plane[17, 15] == 127 && plane[13, 15] == 127 && plane[20, 15] == 0 && plane[11, 15] == 0)
  }

  /// Of vehicles the network knows nothing.
  @Test func whereHardlyAnythingIsOutlinedTheBoxCounts() throws {
    let box = Region(x: 16, y: 10, width: 8, height: 10)
    let certainty = [UInt8](repeating: 60, count: 16 * 16)
    let outline = Outline(window: Region(x: 0, y: 0, width: 40, height: 30), side: 16, certainty: certainty)
    let plane = try seen(outline, box)
    #expect(plane[20, 15] == 127 && plane[13, 7] == 63 && plane[12, 15] == 0)
    // A box beyond the picture changes nothing.
    let beyond = try seen(outline, Region(x: 90, y: 90, width: 0, height: 0), score: .infinity)
    #expect((0..<30).allSatisfy { y in (0..<40).allSatisfy { beyond[$0, y] == 0 } })
  }
}
