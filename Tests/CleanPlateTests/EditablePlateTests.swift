import CleanPlate
import TestScenes
import Testing

/// A plate that is put right again and again is the one that is made with the edits at once.
struct EditablePlateTests {
  private static let size = Size(width: 320, height: 240)
  private static let walker = Scene.Figure(x: 90, y: 120, radius: 24)
  private let scene = Scene(seed: 5)

  /// Photos of a scene; in one of them, the fourth, somebody stands at `walker`.
  private func burst(_ count: Int = 6, crowded: Int = 3) throws -> [Input] {
    try (0..<count).map { index in
      .frame(
        try scene.photo(
          Self.size, camera: Scene.handheld(index), figures: index == crowded ? [Self.walker] : [], noise: 1.5,
          noiseSeed: UInt64(index), name: "photo \(index)"))
    }
  }

  private func options(_ edits: PlateEdits = PlateEdits(), combine: CombineOperator = .clean) throws -> Options {
    try Options(combine: combine, reference: .index(0), detector: .off, edits: edits, threads: 2)
  }

  private static let place = Place.point(Point(x: walker.x, y: walker.y))
  private static let steps: [PlateEdits] = [
    PlateEdits([.take(.index(3), place)]),
    PlateEdits([
      .take(.index(3), place), .take(.index(2), .stroke(Stroke(points: [Point(x: 200, y: 150)], radius: 15))),
    ]),
    PlateEdits([.take(.index(3), place), .remove(place, from: .index(3))]),
    PlateEdits(),
  ]

  @Test func isThePlateOfTheSameEditsAtOnce() async throws {
    let inputs = try burst()
    let desk = try await EditablePlate(of: inputs, options: options())
    for edits in Self.steps {
      let changed = try await desk.apply(edits)
      let whole = try await makePlate(from: inputs, options: options(edits))
      let plate = await desk.plate
      #expect(plate.planes == whole.plate.planes, "\(edits.list)")
      var (own, other) = (await desk.report, whole.report)
      (own.seconds, other.seconds) = ([:], [:])
      #expect(own == other)
      #expect(changed != nil)
      #expect(try await desk.apply(edits) == nil, "nothing changes by the same edits")
    }
  }

  @Test func itsLayersAreThoseOfTheSameEditsAtOnce() async throws {
    let inputs = try burst(2, crowded: 1)
    let edits = PlateEdits([.take(.index(1), Self.place)])
    let desk = try await EditablePlate(of: inputs, options: options())
    try await desk.apply(edits)
    let asked = try Options(
      reference: .index(0), detector: .off, edits: edits, layers: true, threads: 2)
    let encoding = EncodeOptions(format: .png)
    let whole = try #require(try await makePlate(from: inputs, options: asked).layers)
    let own = try #require(try await desk.layers())
    #expect(!own.places.isEmpty)
    #expect(try own.openRaster(encoding) == whole.openRaster(encoding))
    #expect(try await EditablePlate(of: inputs, options: options(combine: .mean)).layers() == nil)
  }

  /// The program may be closed in between: edits hold from the beginning, and can be undone.
  @Test func beginsWithEdits() async throws {
    let inputs = try burst()
    let desk = try await EditablePlate(of: inputs, options: options(Self.steps[0]))
    try await desk.apply(PlateEdits())
    let whole = try await makePlate(from: inputs, options: options())
    #expect(await desk.plate.planes == whole.plate.planes)
  }

  @Test func onlyWhatAnEditTouchesIsMadeAgain() async throws {
    let desk = try await EditablePlate(of: burst(), options: options())
    let before = await desk.plate
    let changed = try #require(try await desk.apply(Self.steps[0]))
    #expect(changed.contains(x: 90, y: 120))
    #expect(changed.area < desk.crop.area)
    let after = await desk.plate
    for y in stride(from: 0, to: before.size.height, by: 3) {
      for x in stride(from: 0, to: before.size.width, by: 3)
      where !changed.contains(Region(x: x + desk.crop.x, y: y + desk.crop.y, width: 1, height: 1)) {
        #expect(before.planes[0][x, y] == after.planes[0][x, y])
      }
    }
    #expect(await desk.frame(shownAt: Point(x: 90, y: 120)) == 3)
  }

  @Test func whatCannotBeDoneChangesNothing() async throws {
    let desk = try await EditablePlate(of: burst(), options: options())
    try await desk.apply(Self.steps[0])
    let before = await desk.plate
    for edits: [PlateEdit] in [
      [.take(.index(99), Self.place)], [.take(.name("nobody"), Self.place)],
      [.keep(.point(Point(x: -1, y: 0)))], [.keep(.point(Point(x: 9_000, y: 0)))],
    ] {
      await #expect(throws: EditError.self) { try await desk.apply(PlateEdits(edits)) }
    }
    #expect(await desk.plate.planes == before.planes)
    #expect(await desk.report.options?.edits == PlateEdits.Document(Self.steps[0]))
    let median = try await EditablePlate(of: burst(), options: options(combine: .median))
    await #expect(throws: OptionError.edits(.median)) { try await median.apply(Self.steps[0]) }
    #expect(try await median.apply(PlateEdits()) == nil)
    #expect(await median.decisions == nil)
  }

  /// Of many frames, not all are compared, and an edit may name one that is not.
  @Test func namesFramesThatWereNotCompared() async throws {
    let inputs = try burst(30)
    let stroke = Place.stroke(Stroke(points: [Point(x: 150, y: 100)], radius: 12))
    let desk = try await EditablePlate(of: inputs, options: options())
    for frame in [1, 2, 28] {
      let edits = PlateEdits([.take(.index(frame), stroke)])
      try await desk.apply(edits)
      let whole = try await makePlate(from: inputs, options: options(edits))
      #expect(await desk.plate.planes == whole.plate.planes)
    }
  }

  @Test func showsPartsOfItselfAndOfFrames() async throws {
    let desk = try await EditablePlate(of: burst(), options: options())
    let (plate, crop) = (await desk.plate, desk.crop)
    let region = Region(x: crop.x + 100, y: crop.y + 60, width: 64, height: 48)
    let part = try #require(try await desk.picture(of: region))
    #expect(part.size == region.size)
    for y in 0..<48 {
      for x in 0..<64 { #expect(part.planes[0][x, y] == plate.planes[0][x + 100, y + 60]) }
    }
    let half = try #require(try await desk.picture(of: region, reducedBy: 2, frame: 3))
    #expect(half.size == Size(width: 32, height: 24))
    #expect(try await desk.picture(of: Region(x: 5_000, y: 0, width: 10, height: 10)) == nil)
    #expect(try await desk.picture(of: region, frame: 77) == nil)
    let corner = Region(x: crop.maxX - 3, y: crop.maxY - 3, width: 50, height: 50)
    let rim = try #require(try await desk.picture(of: corner))
    #expect(rim.size.width <= 4 && rim.size.height <= 4)
    #expect(desk.frames == [0, 1, 2, 3, 4, 5] && desk.referenceIndex == 0 && desk.referenceSize == Self.size)
  }
}
