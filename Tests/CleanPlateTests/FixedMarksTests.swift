import CleanPlate
import Synchronization
import TestScenes
import Testing

/// Dates, logos and dirt, which stay in the same place of the photos while the scene moves.
struct FixedMarksTests {
  private let size = Size(width: 480, height: 360)

  /// Photos of a place that somebody crosses, each with the same drawn over it.
  /// - Parameter mark: what is drawn at a pixel; nil for nothing.
  private func burst(isHandheld: Bool = true, _ mark: (Int, Int) -> Int?) throws -> [Input] {
    try (0..<6).map { index in
      let photo = try photo(
        camera: isHandheld ? camera(index) : .identity, figure: Point(x: Double(40 + 70 * index), y: 200),
        name: "photo \(index)")
      let luma = try Plane(width: size.width, height: size.height) { mark($0, $1) ?? photo.planes[0][$0, $1] }
      return .frame(
        Frame(planes: [luma] + photo.planes[1...], grids: photo.grids, encoding: photo.encoding, name: photo.name))
    }
  }

  /// A photo with somebody somewhere of the scene.
  private func photo(camera: Homography, figure: Point, name: String) throws -> Frame {
    try Scene(seed: 41).photo(
      size, camera: camera, figures: [Scene.Figure(x: figure.x, y: figure.y, radius: 26)], noise: 2,
      noiseSeed: UInt64(name.utf8.reduce(0) { 31 &* $0 &+ Int($1) } & 0xffff), name: name)
  }

  private func camera(_ index: Int) -> Homography {
    Homography(1, 0, 14 * Double(index % 3), 0, 1, 11 * Double(index / 2), 0, 0)
  }

  private func marks(_ inputs: [Input]) async throws -> [Region] {
    let told = Mutex<[Region]>([])
    _ = try await makePlate(from: inputs, options: Options(reference: .index(0), detector: .off)) { event in
      if case .marked(let places, _) = event { told.withLock { $0 += places } }
    }
    return told.withLock(\.self)
  }

  /// Letters on black.
  private func date(_ x: Int, _ y: Int) -> Int? {
    guard (380..<460).contains(x), (328..<344).contains(y) else { return nil }
    return ((x / 6 * 37 + y / 8 * 101) ^ (x / 6 * 11)) % 5 < 2 ? 255 : 0
  }

  @Test func aDateIsTold() async throws {
    let places = try await marks(try burst(date))
    let box = Region(x: 372, y: 320, width: 96, height: 32)
    #expect(places.count == 1 && places.allSatisfy { box.contains($0) && $0.area > box.area / 4 }, "told: \(places)")
  }

  /// The scene does not move either.
  @Test func onATripodNothingIsTold() async throws {
    #expect(try await marks(try burst(isHandheld: false, date)).isEmpty)
  }

  @Test func ofOrdinaryPhotosNothingIsTold() async throws {
    #expect(try await marks(try burst { _, _ in nil }).isEmpty)
  }

  /// Of ten files of one photo, where somebody stands at the same place of the picture as in the reference by chance, one
  /// is asked.
  @Test func copiesOfAPhotoTellWhatItDoes() async throws {
    let far = Homography(1, 0, 40, 0, 1, 30, 0, 0)
    let others = try (1..<6).map {
      try photo(camera: camera($0), figure: Point(x: Double(40 + 70 * $0), y: 120), name: "photo \($0)")
    }
    let reference = try photo(camera: .identity, figure: Point(x: 200, y: 200), name: "reference")
    let beside = far(Point(x: 200, y: 200))
    let copies = try (0..<10).map { try photo(camera: far, figure: beside, name: "copy \($0)") }
    #expect(try await marks(([reference] + copies + others).map { .frame($0) }).isEmpty)
  }
}
