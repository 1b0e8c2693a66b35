import Codecs
import Foundation
import Frames
import Selection
import Testing

@testable import CleanPlate

/// Real people by the real weights: a street from above (`vtest.avi`, OpenCV's sample data), 7 frames 12 apart.
struct DetectorTests {
  private static let street = "/usr/share/doc/opencv-doc/examples/data/vtest.avi"
  private static let weights = "\(DetectorOption.folder)/yolov3-tiny.weights"
  private static let isInstalled = [street, weights].allSatisfy(FileManager.default.isReadableFile)

  @Test(
    .enabled(
      if: isInstalled, "needs vtest.avi of Debian's opencv-doc (Scripts/bootstrap --tests) and Scripts/fetch-detector"))
  func peopleAreGoneFromAStreet() async throws {
    let burst = try frames(every: 12, until: 84)
    // Over the whole minute the median sees every place free.
    let empty = try await makePlate(from: frames(every: 40), options: options(.median, .off)).plate
    func wrongPixels(_ options: Options) async throws -> Int {
      let plate = try await makePlate(from: burst, options: options).plate
      return (0..<plate.size.height).reduce(0) { sum, y in
        sum + (0..<plate.size.width).count { abs(plate.planes[0][$0, y] - empty.planes[0][$0, y]) > 20 }
      }
    }
    let median = try await wrongPixels(options(.median, .off))
    let clean = try await wrongPixels(options(.clean, .path(FilePath(Self.weights))))
    #expect(clean * 3 < median)
    let one = try await makePlate(from: burst, options: options(.clean, .path(FilePath(Self.weights)), threads: 1))
      .plate
    let two = try await makePlate(from: burst, options: options(.clean, .path(FilePath(Self.weights)), threads: 2))
      .plate
    #expect(one.planes == two.planes)
  }

  @Test(.enabled(if: isInstalled, "needs what the other test needs"))
  func peopleAreFoundAnywhereInAFrame() async throws {
    guard case .frame(let frame)? = try frames(every: 12, until: 12).first else { return }
    let loaded = try DetectorOption.path(FilePath(Self.weights)).load().loaded
    let detector = try #require(loaded).detector
    let boxes = try await detector.boxes(in: frame, threads: 2)
    // Somebody in black walks to the left; nobody lies on the lawn. Most of the street is free.
    func areFound(_ x: Int, _ y: Int) -> Bool { boxes.contains { $0.contains(x: x, y: y) } }
    #expect(areFound(663, 270) && !areFound(200, 400))
    #expect(boxes.reduce(0) { $0 + $1.intersection(frame.size.bounds).area } * 2 < frame.size.area)
    #expect(try await detector.boxes(in: frame, threads: 1) == boxes)
    let corners = [655.0, 663, 671].flatMap { x in [245.0, 260, 275, 290].map { y in Point(x: x, y: y) } }
    let near = try await detector.boxes(in: frame, around: corners, threads: 1)
    #expect(near.contains { $0.contains(x: 663, y: 270) } && near.count < boxes.count)
    #expect(try await detector.boxes(in: frame, around: [], threads: 1).isEmpty)
  }

  @Test(.enabled(if: isInstalled, "needs what the other test needs"))
  func whoeverIsPointedAtStays() async throws {
    let burst = try frames(every: 12, until: 60)
    func plate(_ edits: [PlateEdit]) async throws -> Frame {
      try await makePlate(
        from: burst,
        options: Options(
          align: .none, reference: .index(0), detector: .path(FilePath(Self.weights)), edits: PlateEdits(edits),
          threads: 2)
      ).plate
    }
    // Somebody in black walks to the left; nobody lies on the lawn.
    let (kept, empty) = try await (plate([.keep(.point(Point(x: 663, y: 270)))]), plate([]))
    #expect(kept.planes[0][663, 270] + 60 < empty.planes[0][663, 270])
    await #expect(throws: EditError.nothingDiffers(Point(x: 200, y: 400))) {
      try await plate([.keep(.point(Point(x: 200, y: 400)))])
    }
  }

  private func frames(every step: Int, until end: Int = .max) throws -> [Input] {
    let reader = try FFmpegReader(path: FilePath(Self.street), options: DecodeOptions())
    var inputs: [Input] = []
    var index = 0
    while index < end, let frame = try reader.next() {
      if index.isMultiple(of: step) { inputs.append(.frame(frame)) }
      index += 1
    }
    return inputs
  }

  private func options(_ combine: CombineOperator, _ detector: DetectorOption, threads: Int = 2) throws -> Options {
    try Options(align: .none, combine: combine, reference: .index(0), detector: detector, threads: threads)
  }
}
