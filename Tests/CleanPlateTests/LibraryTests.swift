import CleanPlate
import Codecs
import FileBuilding
import Foundation
import SystemPackage
import TestScenes
import Testing

/// What a program that uses the library can ask for, beside what `PipelineTests` and `ForegroundTests` do.
@Suite struct LibraryTests {
  static let size = Size(width: 320, height: 240)
  static let walker = Scene.Figure(x: 90, y: 120, radius: 24)
  let scene = Scene(seed: 5)

  /// Photos of the scene; in the first somebody stands at `walker`, in the others he is gone.
  private func burst(_ count: Int = 6) throws -> [Frame] {
    try (0..<count).map { index in
      try scene.photo(
        Self.size, camera: Scene.handheld(index), figures: index == 0 ? [Self.walker] : [], noise: 1.5,
        noiseSeed: UInt64(index), name: "photo \(index)")
    }
  }

  /// Brightness where somebody stands in the reference: dark as long as he is in the picture.
  private func level(_ result: PlateResult) -> Int {
    result.plate.planes[0][Int(Self.walker.x) - result.report.crop.x, Int(Self.walker.y) - result.report.crop.y]
  }

  @Test func protectsWhatAMaskNames() async throws {
    let photos = try burst()
    let mask = try Plane(width: Self.size.width, height: Self.size.height) { x, y in
      hypot(Double(x) - Self.walker.x, Double(y) - Self.walker.y) < Self.walker.radius + 4 ? 255 : 0
    }
    let place = PlateEdit.keep(.mask(PlaceMask(Frame(planes: [mask], encoding: .grey(.full), name: "mask"))))
    let (x, y) = (Int(Self.walker.x), Int(Self.walker.y))
    let truth = try scene.photo(Self.size).planes[0][x, y]
    for (edits, expected) in [([place], photos[0].planes[0][x, y]), ([], truth)] {
      let options = try Options(reference: .index(0), detector: .off, edits: PlateEdits(edits))
      let result = try await makePlate(from: photos.map { .frame($0) }, options: options)
      #expect(abs(level(result) - expected) < 8)
    }
    #expect(abs(photos[0].planes[0][x, y] - truth) > 40)
  }

  @Test(arguments: CombineOperator.allCases.filter { $0 != .clean })
  func onlyCleanProtects(combine: CombineOperator) {
    #expect(throws: OptionError.edits(combine)) {
      try Options(combine: combine, edits: PlateEdits([.keep(.point(Point(x: 1, y: 1)))]))
    }
  }

  @Test func takesDeepColoursFromElsewhere() async throws {
    let inputs = try burst().map { photo in
      Input.frame(try photo.converted(to: PixelLayout(encoding: .rgb, bits: 16)))
    }
    let result = try await makePlate(from: inputs, options: Options(reference: .index(0), detector: .off))
    #expect(result.plate.encoding == .rgb && result.plate.bits == 16)
    #expect(result.report.frames.allSatisfy { $0.accepted })
  }

  @Test func takesFilesBytesAndPlanesTogether() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let photos = try burst(3)
    let path = folder.appending(path: "a.jpg").path
    try writeAtomically(encode(photos[0], options: EncodeOptions(format: .jpeg)), to: FilePath(path))
    let bytes = try encode(photos[1], options: EncodeOptions(format: .png))
    let result = try await makePlate(
      from: [.file(path: FilePath(path)), .bytes(bytes, name: "b"), .frame(photos[2])], options: Options(detector: .off)
    )
    #expect(result.report.frames.map(\.path) == [path, "b", "photo 2"])
    #expect(result.report.frames.allSatisfy { $0.accepted })
  }

  @Test func drawsSupport() async throws {
    let options = try Options(reference: .index(0), detector: .off)
    let result = try await makePlate(from: burst().map { .frame($0) }, options: options)
    let support = try #require(try result.plan?.supportPicture(crop: result.report.crop))
    #expect(support.size == result.plate.size)
    let (x, y) = (Int(Self.walker.x) - result.report.crop.x, Int(Self.walker.y) - result.report.crop.y)
    // Five of six back the place behind him.
    #expect(support.planes[0][x, y] == 255 * 5 / 6)
    #expect(support.planes[0][result.plate.size.width - 20, 20] == 255)
  }

  @Test func usesAReportAgainAndKeepsTheSession() async throws {
    let inputs = try burst().map { Input.frame($0) }
    let first = try await makePlate(from: inputs, options: Options(detector: .off))
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = try Report(json: first.report.json())
    let again = try await makePlate(
      from: inputs, options: Options(detector: .off, alignment: report, keep: FilePath(folder.path)))
    #expect(again.plate.planes == first.plate.planes)
    #expect(throws: OptionError.registeredBefore) { try Options(mesh: false, alignment: report) }
    #expect(throws: OptionError.registeredBefore) { try Options(align: .none, alignment: report) }
    let sessions = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(sessions.count == 1)
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: sessions[0]).path)
    #expect(kept.contains("report.json") && kept.count == 3 * inputs.count + 1, "\(kept)")
  }

  /// One photo without colours is left out, wherever it stands, and does not decide for the others.
  @Test(arguments: [0, 3, 5], [PixelEncoding.grey(.full), .rgb])
  func aGreyPhotoTakesNobodysColours(place: Int, encoding: PixelEncoding) async throws {
    var photos = try burst().map { photo in
      try photo.converted(to: PixelLayout(encoding: .rgb, bits: 8, grids: [.full, .full, .full]))
    }
    let grey = photos[place]
    photos[place] = Frame(
      planes: Array(repeating: grey.planes[1], count: encoding.planeCount), encoding: encoding, name: grey.name)
    let result = try await makePlate(
      from: photos.map { .frame($0) }, options: Options(combine: .median, detector: .off))
    #expect(result.plate.planes.count == 3)
    #expect(result.report.frames.map(\.accepted) == photos.indices.map { $0 != place })
    #expect(result.report.frames[place].reasonCode == "different-encoding")
  }

  /// The photo that shall look like the plate is black and white, though its file holds colours.
  @Test func coloursAreNotMixedIntoABlackAndWhitePhoto() async throws {
    var photos = try burst().map { photo in
      try photo.converted(to: PixelLayout(encoding: .rgb, bits: 8, grids: [.full, .full, .full]))
    }
    for place in 0..<3 {
      photos[place] = Frame(
        planes: Array(repeating: photos[place].planes[1], count: 3), encoding: .rgb, name: photos[place].name)
    }
    let result = try await makePlate(
      from: photos.map { .frame($0) }, options: Options(combine: .median, reference: .index(0), detector: .off))
    #expect(result.report.frames.map(\.accepted) == photos.indices.map { $0 < 3 })
    #expect(result.plate.planes[0] == result.plate.planes[2])
  }

  /// Nothing can be told of pictures of one column or row, and it is said.
  @Test(arguments: [Size(width: 1, height: 300), Size(width: 300, height: 1), Size(width: 1, height: 1)])
  func linesAreNoPictures(size: Size) async throws {
    let lines = try (0..<4).map { index in
      Frame(
        planes: [try Plane(width: size.width, height: size.height) { x, y in (x * 7 + y * 5 + index) % 256 }],
        encoding: .grey(.full), name: "\(index)")
    }
    await #expect(throws: PlateError.self) {
      try await makePlate(from: lines.map { .frame($0) }, options: Options(detector: .off, previews: true))
    }
    let options = try Options(align: .none, combine: .clean, detector: .off)
    #expect(try await makePlate(from: lines.map { .frame($0) }, options: options).plate.size == size)
    #expect(try await rankFrames(of: lines.map { .frame($0) }, options: options).count == 4)
  }

  /// What an actor does with frames is its own.
  @MainActor @Test func framesComeWhereTheCallerRuns() async throws {
    var received: [Int] = []
    let report = try await alignFrames(of: try burst(4).map { .frame($0) }, options: Options()) { index, _ in
      MainActor.assertIsolated()
      received.append(index)
    }
    #expect(received == report.frames.indices.filter { report.frames[$0].accepted })
  }

  @Test(arguments: [true, false]) func keptFramesCarryMetadataOrNone(keepsMetadata: Bool) async throws {
    let photos = try burst(3).map { photo in
      Frame(
        planes: photo.planes, grids: photo.grids, encoding: photo.encoding, name: photo.name,
        metadata: Metadata(exif: Card.exif(camera: "A camera", time: 0)))
    }
    let folder = try TemporaryFolder()
    let options = try Options(
      combine: .median, detector: .off, keep: FilePath(folder.url.path), keepsMetadata: keepsMetadata)
    _ = try await makePlate(from: photos.map { .frame($0) }, options: options)
    let session = FilePath(folder.url.path).appending(try #require(try folderEntries(FilePath(folder.url.path)).first))
    let names = ["original_00.png", "aligned_01.png"]
    for name in names {
      let bytes = try readFile(session.appending(name))
      #expect((try decode(bytes, name: name).metadata.exif == nil) != keepsMetadata, "\(name)")
    }
    #expect(try decode(readFile(session.appending("laplacian_02.png")), name: "").metadata.isPlate)
  }
}
