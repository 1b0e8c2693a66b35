import TestScenes
import Testing

@testable import CleanPlate

/// What each frame shows of places that nobody shows free.
@Suite struct PlateLayersTests {
  private static let size = Size(width: 320, height: 240)

  /// Photos in which somebody stands at one place, a little elsewhere each time.
  private func burst() throws -> [Input] {
    let scene = Scene(seed: 5)
    return try (0..<4).map { index in
      let figure = Scene.Figure(x: 150 + 14 * Double(index), y: 120, radius: 34)
      return .frame(
        try scene.photo(
          Self.size, camera: Scene.handheld(index), figures: [figure], noise: 1.5, noiseSeed: UInt64(index),
          name: "photo \(index)"))
    }
  }

  @Test func everyFramesVersionLiesWhereThePlateIsNotFree() async throws {
    let options = try Options(reference: .index(0), crop: .reference, detector: .off, layers: true)
    let result = try await makePlate(from: burst(), options: options)
    let layers = try #require(result.layers)
    #expect(layers.plate.size == Self.size && layers.places.count == result.report.unresolvedPlaces)
    let place = try #require(layers.places.first)
    #expect(place.region.contains(Region(x: 165, y: 115, width: 10, height: 10)))
    #expect(place.versions.map(\.index) == [0, 1, 2, 3] && place.versions.map(\.name).first == "photo 0")
    for version in place.versions {
      #expect(version.picture.size == Size(width: place.region.width, height: place.region.height))
      #expect(version.alpha.width == place.region.width && version.alpha.height == place.region.height)
      #expect((0..<version.alpha.width).contains { version.alpha[$0, version.alpha.height / 2] == 255 })
    }
    // The reference's version is the reference.
    let reference = try #require(try burst().first)
    guard case .frame(let frame) = reference else { return }
    let (x, y) = (place.region.width / 2, place.region.height / 2)
    #expect(
      abs(place.versions[0].picture.planes[0][x, y] - frame.planes[0][place.region.x + x, place.region.y + y]) < 4)
  }

  @Test func withoutBeingAskedThereAreNone() async throws {
    let result = try await makePlate(from: burst(), options: Options(reference: .index(0), detector: .off))
    #expect(result.layers == nil)
  }

  @Test(arguments: CombineOperator.allCases.filter { $0 != .clean })
  func onlyCleanHasThem(combine: CombineOperator) {
    #expect(throws: OptionError.layers(combine)) { try Options(combine: combine, layers: true) }
  }

  /// In whose folder a frame lay is nobody's business who is given the file.
  @Test func layersAreCalledAsFramesAreWithoutTheirFolders() throws {
    let place = PlateLayers.OpenPlace(
      region: Region(x: 1, y: 1, width: 2, height: 2),
      versions: [
        PlateLayers.Version(
          index: 3, name: "/home/me/Rome/IMG_4.jpg", picture: try grey(2),
          alpha: try Plane(width: 2, height: 2) { _, _ in 255 })
      ])
    let bytes = try PlateLayers(plate: try grey(8), places: [place]).openRaster(EncodeOptions(format: .png))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("name=\"3: IMG_4.jpg\"") && !text.contains("/home/me"))
  }

  private func grey(_ side: Int) throws -> Frame {
    Frame(planes: [try Plane(width: side, height: side) { _, _ in 90 }], encoding: .grey(.full), name: "grey")
  }
}
