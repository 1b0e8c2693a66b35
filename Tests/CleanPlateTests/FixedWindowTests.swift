import CleanPlate
import Synchronization
import TestScenes
import Testing

/// Plain borders that stay where they are while the scene moves.
struct FixedWindowTests {
  private let size = Size(width: 480, height: 360)

  /// Photos of which only a window shows the scene; two figures cross it.
  /// - Parameters:
  ///   - grain: levels by which the border differs from pixel to pixel.
  ///   - text: rows in which a third of the border is something else, in each photo at other places.
  private func burst(
    _ window: Region, border: Int, isHandheld: Bool = true, grain: Int = 3, text: Range<Int> = 0..<0
  ) throws -> [Input] {
    try (0..<7).map { index in
      let x = Double(40 + 60 * index)
      let photo = try Scene(seed: 33).photo(
        size, camera: isHandheld ? Scene.handheld(index) : .identity,
        figures: [.init(x: x, y: 180, radius: 24), .init(x: 480 - x, y: Double(window.maxY), radius: 30)], noise: 1,
        noiseSeed: UInt64(index), name: "photo \(index)")
      let planes = try zip(photo.planes, photo.grids).map { plane, grid in
        try Plane(width: plane.width, height: plane.height) { x, y in
          let (left, top) = (x * grid.scaleX, y * grid.scaleY)
          let isInside = (window.x..<window.maxX).contains(left) && (window.y..<window.maxY).contains(top)
          if isInside { return plane[x, y] }
          guard grid == .full else { return 128 }
          if text.contains(y), (x / 8 + index) % 3 == 0 { return 255 - border }
          return border + (x * 7 + (y * 13 ^ x * index)) % grain
        }
      }
      return .frame(Frame(planes: planes, grids: photo.grids, encoding: photo.encoding, name: photo.name))
    }
  }

  private func plate(_ inputs: [Input], _ options: Options) async throws -> (PlateResult, [Region]) {
    let told = Mutex<[Region]>([])
    let result = try await makePlate(from: inputs, options: options) { event in
      if case .bordered(let window, _, _) = event { told.withLock { $0.append(window) } }
    }
    return (result, told.withLock(\.self))
  }

  @Test(arguments: [
    (Region(x: 0, y: 48, width: 480, height: 264), 0), (Region(x: 60, y: 0, width: 360, height: 360), 2),
    (Region(x: 30, y: 40, width: 420, height: 280), 253),
  ])
  func thePlateShowsWhatLiesWithin(window: Region, border: Int) async throws {
    let inputs = try burst(window, border: border)
    let (result, told) = try await plate(inputs, Options(reference: .index(0), detector: .off))
    let crop = result.report.crop
    #expect(told.count == 1 && told.allSatisfy { window.contains($0) && $0.contains(crop) })
    #expect(crop.area > window.area * 3 / 4)
    #expect(result.report.unresolved == 0)
    // Reported in the files' pixels.
    #expect(result.report.size == size)
    let truth = try Scene(seed: 33).photo(size)
    var worst = 0
    for y in 0..<crop.height {
      for x in 0..<crop.width {
        worst = max(worst, abs(result.plate.planes[0][x, y] - truth.planes[0][crop.x + x, crop.y + y]))
      }
    }
    #expect(worst < 20)
  }

  /// A dashboard camera's line of text, and what a camera of the night or a copy of a film shows of black.
  @Test(arguments: [(3, 330..<345), (24, 0..<0)]) func aBorderMayHoldTextOrNoise(grain: Int, text: Range<Int>)
    async throws
  {
    let window = Region(x: 0, y: 48, width: 480, height: 264)
    let inputs = try burst(window, border: 30, grain: grain, text: text)
    let (result, told) = try await plate(inputs, Options(reference: .index(0), detector: .off))
    #expect(told.count == 1 && told.allSatisfy { window.contains($0) && $0.contains(result.report.crop) })
    #expect(result.report.crop.area > window.area * 3 / 4)
  }

  /// Copies of half the size have it, too.
  @Test func aBorderIsFoundInFramesOfTwoSizes() async throws {
    let window = Region(x: 0, y: 48, width: 480, height: 264)
    let inputs = try burst(window, border: 0).enumerated().map { index, input -> Input in
      guard index % 3 == 1, case .frame(let frame) = input else { return input }
      let planes = try frame.planes.map { plane in
        try Plane(width: plane.width / 2, height: plane.height / 2) { x, y in
          (plane[2 * x, 2 * y] + plane[2 * x + 1, 2 * y] + plane[2 * x, 2 * y + 1] + plane[2 * x + 1, 2 * y + 1]) / 4
        }
      }
      return .frame(Frame(planes: planes, grids: frame.grids, encoding: frame.encoding, name: frame.name))
    }
    let (result, told) = try await plate(inputs, Options(reference: .index(0), detector: .off))
    #expect(result.report.frames.count(where: \.accepted) == 7)
    #expect(told.count == 1 && told.allSatisfy { window.contains($0) && $0.contains(result.report.crop) })
  }

  /// A camera that turns to the side leaves a horizon in its rows.
  @Test func aSkyOverALevelHorizonIsNoBorder() async throws {
    let inputs = try (0..<6).map { index -> Input in
      let camera = Homography(1, 0, Double(9 * index), 0, 1, 0, 0, 0)
      let photo = try Scene(seed: 35).photo(
        size, camera: camera, noise: 1, noiseSeed: UInt64(index), name: "photo \(index)")
      let luma = try Plane(width: size.width, height: size.height) { x, y in
        y < 90 ? 250 : min(photo.planes[0][x, y], 200)
      }
      return .frame(
        Frame(planes: [luma] + photo.planes[1...], grids: photo.grids, encoding: photo.encoding, name: photo.name))
    }
    let (result, told) = try await plate(inputs, Options(reference: .index(0), detector: .off))
    #expect(told.isEmpty)
    #expect(result.report.crop.y < 30)
  }

  @Test func ofTheWholeReferenceItIsOnlyTold() async throws {
    let inputs = try burst(Region(x: 0, y: 48, width: 480, height: 264), border: 0)
    let (result, told) = try await plate(inputs, Options(crop: .reference, detector: .off))
    #expect(told.count == 1)
    #expect(result.plate.size == size)
  }

  /// Nothing smears there, and it may be what the photos show.
  @Test func onATripodItStays() async throws {
    let inputs = try burst(Region(x: 0, y: 48, width: 480, height: 264), border: 0, isHandheld: false)
    let (result, told) = try await plate(inputs, Options(detector: .off))
    #expect(told.isEmpty)
    #expect(result.plate.size == size)
  }

  /// A white sky moves with the scene.
  @Test func aSkyIsNoBorder() async throws {
    let inputs = try (0..<6).map { index -> Input in
      let camera = Scene.handheld(index)
      let photo = try Scene(seed: 34).photo(size, camera: camera, name: "photo \(index)")
      let luma = try Plane(width: size.width, height: size.height) { x, y in
        camera(Point(x: Double(x), y: Double(y))).y < 70 ? 255 : min(photo.planes[0][x, y], 200)
      }
      return .frame(
        Frame(planes: [luma] + photo.planes[1...], grids: photo.grids, encoding: photo.encoding, name: photo.name))
    }
    let (result, told) = try await plate(inputs, Options(reference: .index(0), detector: .off))
    #expect(told.isEmpty)
    #expect(result.report.crop.y < 30)
  }
}
