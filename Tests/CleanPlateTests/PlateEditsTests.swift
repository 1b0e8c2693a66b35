import CleanPlate
import Foundation
import TestScenes
import Testing

/// Edits as files, and as a plate's options.
@Suite struct PlateEditsTests {
  private static let size = Size(width: 320, height: 240)
  private static let walker = Scene.Figure(x: 90, y: 120, radius: 24)
  private let scene = Scene(seed: 5)

  /// Photos of a scene; in one of them somebody stands at `walker`.
  private func burst(with him: Int) throws -> [Input] {
    try (0..<6).map { index in
      .frame(
        try scene.photo(
          Self.size, camera: Scene.handheld(index), figures: index == him ? [Self.walker] : [], noise: 1.5,
          noiseSeed: UInt64(index), name: "card/photo \(index)"))
    }
  }

  private func plate(_ edits: PlateEdits, with him: Int = 3) async throws -> PlateResult {
    try await makePlate(from: burst(with: him), options: Options(reference: .index(0), detector: .off, edits: edits))
  }

  private static let place = Place.point(Point(x: walker.x, y: walker.y))

  @Test(arguments: [FrameKey.index(3), .name("card/photo 3"), .name("photo 3")])
  func takesSomebodyFromTheFrameThatIsNamed(key: FrameKey) async throws {
    func level(_ result: PlateResult) -> Int {
      result.plate.planes[0][Int(Self.walker.x) - result.report.crop.x, Int(Self.walker.y) - result.report.crop.y]
    }
    let (with, without) = try await (plate(PlateEdits([.take(key, Self.place)])), plate(PlateEdits()))
    #expect(abs(level(with) - level(without)) > 40)
    #expect(without.report.options?.edits == nil)
    let written = try #require(try Report(json: with.report.json()).options?.edits)
    #expect(written == PlateEdits.Document(PlateEdits([.take(key, Self.place)])))
  }

  @Test func plateMadeAgainIsTheSame() async throws {
    let stroke = Stroke(points: [Point(x: 70, y: 120), Point(x: 110, y: 130)], radius: 12)
    let edits = PlateEdits(
      [.take(.index(3), .stroke(stroke)), .remove(Self.place, from: .index(3))], reference: .index(0))
    let again = try PlateEdits(json: edits.json()) { _ in throw CancellationError() }
    #expect(again == edits)
    let (first, second) = try await (plate(edits), plate(again))
    #expect(first.plate.planes == second.plate.planes)
  }

  @Test func asksForMasksByName() throws {
    let plane = try Plane(width: 4, height: 4) { x, _ in x < 2 ? 255 : 0 }
    let mask = PlaceMask(Frame(planes: [plane], encoding: .grey(.full), name: "door.png"))
    let edits = PlateEdits([.keep(.mask(mask))])
    let again = try PlateEdits(json: edits.json()) { name in
      #expect(name == "door.png")
      return mask
    }
    #expect(again == edits)
  }

  @Test(arguments: [
    ("{", "unreadable"), ("[]", "unreadable"), ("{}", "unreadable"),
    (#"{"version": 1, "refrence": 0, "edits": []}"#, "unreadable"),
    (#"{"version": 1, "edits": [{"do": "remove", "frmae": 1, "point": [1, 2]}]}"#, "unreadable"),
    (
      #"{"version": 1, "edits": [{"do": "keep", "stroke": {"radius": 1, "points": [[1, 2]], "soft": 1}}]}"#,
      "unreadable"
    ),
    (#"{"version": 1, "edits": [{"do": "paint", "point": [1, 2]}]}"#, "unreadable"),
    (#"{"version": 1.5, "edits": []}"#, #"unreadable(detail: "a number is not whole"#),
    (#"{"version": 2, "edits": []}"#, "unknownVersion"),
    (#"{"version": 1, "edits": [{"do": "take", "point": [1, 2]}]}"#, "noFrame"),
    (#"{"version": 1, "edits": [{"do": "keep"}]}"#, "noPlace"),
    (#"{"version": 1, "edits": [{"do": "keep", "point": [1]}]}"#, "noPlace"),
    (#"{"version": 1, "edits": [{"do": "keep", "point": [1, 1e300]}]}"#, "noPlace"),
    (#"{"version": 1, "edits": [{"do": "keep", "point": [1, 2], "mask": "m"}]}"#, "noPlace"),
    (#"{"version": 1, "edits": [{"do": "keep", "stroke": {"radius": -1, "points": [[1, 2]]}}]}"#, "noPlace"),
  ]) func refusesWhatIsNoEdits(json: String, kind: String) throws {
    let error = try #require(throws: EditsFileError.self) {
      try PlateEdits(json: Array(json.utf8)) { _ in throw CancellationError() }
    }
    #expect("\(error)".hasPrefix(kind))
    #expect(error.errorDescription?.isEmpty == false)
  }

  @Test func namesTheFrameThatCannotServe() async throws {
    await #expect(throws: EditError.noSuchFrame("9")) { try await plate(PlateEdits([.take(.index(9), Self.place)])) }
    await #expect(throws: EditError.noSuchFrame("x")) { try await plate(PlateEdits([.take(.name("x"), Self.place)])) }
    await #expect(throws: EditError.otherReference(wanted: "photo 2", chosen: "card/photo 0")) {
      try await plate(PlateEdits([.keep(Self.place)], reference: .name("photo 2")))
    }
    let dark = Frame(
      planes: [try Plane(width: 320, height: 240) { _, _ in 128 }], encoding: .grey(.full), name: "nothing")
    let inputs = try burst(with: 3) + [.frame(dark)]
    await #expect(throws: EditError.self) {
      try await makePlate(
        from: inputs,
        options: Options(reference: .index(0), detector: .off, edits: PlateEdits([.take(.name("nothing"), Self.place)]))
      )
    }
  }
}
