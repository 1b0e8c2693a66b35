import Codecs
import Frames
import Resampling
import TestScenes
import Testing

@testable import CleanPlate

/// A plate that grows while frames come in.
struct LivePlateTests {
  private let burst = PipelineTests()

  /// Mean absolute difference in luma between a small plate and the empty scene as the frame of this number shows it.
  private func error(of plate: Frame, drawnIn index: Int) throws -> Double {
    let truth = try burst.scene.photo(burst.size, camera: Scene.handheld(index), gain: 1 + 0.02 * Double(index % 3))
      .planes[0].averaged(over: burst.size.width / plate.size.width)
    var total = 0
    for y in 0..<truth.height {
      for x in 0..<truth.width { total += abs(plate.planes[0][x, y] - truth[x, y]) }
    }
    return Double(total) / Double(truth.width * truth.height)
  }

  @Test(arguments: [CombineOperator.median, .clean]) func becomesClean(combine: CombineOperator) async throws {
    let live = LivePlate(threads: 2)
    #expect(try await live.plate() == nil)
    var errors: [Double] = []
    for frame in try burst.burst(8) {
      let verdict = try await live.add(frame)
      #expect(verdict.rejection == nil && verdict.name == frame.name)
      let plate = try #require(try await live.plate(combine))
      errors.append(try error(of: plate, drawnIn: 0))
    }
    #expect(errors[7] < 2, "\(errors)")
    #expect(errors[0] > errors[7], "somebody is in the first")
    let verdicts = await live.verdicts
    #expect(verdicts.map(\.isReference) == [true] + Array(repeating: false, count: 7))
    #expect(verdicts.allSatisfy { $0.sharpness > 0 && $0.size == burst.size })
  }

  @Test func tellsWhoDoesNotFit() async throws {
    let frames = try burst.burst(5)
    let stranger = try Scene(seed: 77).photo(burst.size, name: "stranger")
    let live = LivePlate()
    for frame in frames[..<3] { try await live.add(frame) }
    let verdict = try await live.add(stranger)
    #expect(verdict.rejection != nil)
    try await live.add(frames[3])
    #expect(await live.verdicts.map { $0.rejection == nil } == [true, true, true, false, true])
  }

  /// The first photo is of something else: the second and third agree.
  @Test func whoStandsAloneIsNoReference() async throws {
    let frames = try burst.burst(4)
    let live = LivePlate()
    try await live.add(try Scene(seed: 77).photo(burst.size, name: "stranger"))
    for frame in frames { try await live.add(frame) }
    let verdicts = await live.verdicts
    #expect(verdicts.map { $0.rejection == nil } == [false, true, true, true, true])
    #expect(verdicts[0].isReference == false && verdicts[1].isReference)
  }

  /// Cameras choose exposure, colour and orientation anew, and programs hand over frames of several sizes.
  @Test func takesFramesThatDiffer() async throws {
    let scene = burst.scene
    func photo(_ index: Int, gain: Double = 1, size: Size? = nil, camera: Homography? = nil) throws -> Frame {
      try scene.photo(
        size ?? burst.size, camera: camera ?? Scene.handheld(index),
        figures: [.init(x: 20 + 50 * Double(index), y: 120, radius: 20)], gain: gain, noise: 1.5,
        noiseSeed: UInt64(index), name: "photo \(index)")
    }
    let turned = try photo(3).oriented(.rotated90)
    let half = Homography(2, 0, 0.5, 0, 2, 0.5, 0, 0)
    let small = try photo(4, size: Size(width: 160, height: 120), camera: half)
    let tinted = try photo(5)
    let warm = Frame(
      planes: try zip(tinted.planes, [0, -12, 9]).map { plane, offset in
        try Plane(width: plane.width, height: plane.height) { plane[$0, $1] + offset }
      }, grids: tinted.grids, encoding: tinted.encoding, name: "warm")
    let grey = Frame(planes: [try photo(6).planes[0]], encoding: .grey(.full), name: "grey")
    let deep = try photo(7).converted(to: PixelLayout(encoding: .rgb, bits: 16, grids: [.full, .full, .full]))
    let live = LivePlate(threads: 2)
    for frame in [
      try photo(0), try photo(1, gain: 0.6), try photo(2, gain: 1.3), turned, small, warm, grey, deep,
    ] {
      try await live.add(frame)
    }
    let left = await live.verdicts.filter { $0.rejection != nil }
    #expect(left.map(\.name) == ["grey"], "\(left)")
    for combine in [CombineOperator.median, .clean] {
      let plate = try #require(try await live.plate(combine))
      #expect(try error(of: plate, drawnIn: 0) < 2.5, "\(combine)")
    }
    #expect(try await live.prospect()?.frames == 7)
  }

  /// Numbers are the burst's, in which frames may be missing.
  @Test func frameNumbersAreTheBursts() async throws {
    let frames = try burst.burst(3)
    let live = LivePlate()
    for (frame, index) in zip(frames, [0, 2, 5]) { try await live.add(frame, index: index) }
    #expect(await live.verdicts.map(\.index) == [0, 2, 5])
  }

  /// Colours stay where they are, however seldom they were sampled, and by whatever the picture is reduced.
  @Test(arguments: [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1)], [2, 3, 4, 5, 8])
  func reducedColoursStayInPlace(scale: (Int, Int), factor: Int) throws {
    let (size, grid) = (Size(width: 203, height: 119), PlaneGrid(scaleX: scale.0, scaleY: scale.1))
    let rgb = try (0..<3).map { channel in
      try Plane(width: size.width, height: size.height) { x, y in
        channel == 0 ? x : channel == 1 ? 2 * y : 255 - x / 2 - y / 2
      }
    }
    let frame = try Frame(planes: rgb, encoding: .rgb, name: "").converted(
      to: PixelLayout(encoding: .yCbCr(.bt601, .full), bits: 8, grids: [.full, grid, grid]))
    let small = try frame.reduced(by: factor)
    #expect(Set(small.planes.map { "\($0.width) \($0.height)" }).count == 1)
    let shown = try small.converted(to: PixelLayout(encoding: .rgb, bits: 8, grids: [.full, .full, .full]))
    for (y, x) in [(2, 3), (2, 18), (9, 3), (9, 18)] {
      let (column, row) = (factor * x + factor / 2, factor * y + factor / 2)
      for channel in 0..<3 {
        let difference = shown.planes[channel][x, y] - rgb[channel][column, row]
        #expect(abs(difference) < 10, "\(channel) at \(x), \(y)")
      }
    }
  }

  @Test func stripsAreReduced() throws {
    let chroma = PlaneGrid(scaleX: 2, scaleY: 2)
    let strip = Frame(
      planes: [
        try Plane(width: 759, height: 3) { x, _ in x % 256 }, try Plane(width: 380, height: 2) { _, _ in 128 },
        try Plane(width: 380, height: 2) { _, _ in 128 },
      ], grids: [.full, chroma, chroma], encoding: .yCbCr(.bt601, .full), name: "")
    #expect(try strip.reduced(by: 4).planes.map(\.width) == [189, 189, 189])
  }

  @Test func thumbnailsAreAsSmallAsAsked() throws {
    let frame = try burst.burst(1)[0]
    #expect(try frame.thumbnail(width: 80).size == Size(width: 80, height: 60))
    #expect(try frame.thumbnail(width: 10_000).planes.allSatisfy { $0.bits == 8 })
  }

  @Test func advisesWhileOneCanStillFollow() async throws {
    // He stands in all photos but is somewhere else in each half of them.
    let live = LivePlate()
    #expect(try await live.prospect() == nil)
    for index in 0..<4 {
      try await live.add(
        try burst.scene.photo(
          burst.size, camera: Scene.handheld(index),
          figures: [.init(x: index % 2 == 0 ? 150 : 165, y: 120, radius: 25)], noise: 1.5, noiseSeed: UInt64(index),
          name: "photo \(index)"))
    }
    let prospect = try #require(try await live.prospect())
    #expect(prospect.frames == 4)
    #expect((prospect.places == 0) == (prospect.advice == nil))
    let advice = try #require(ShootingAdvice(places: 2, frames: 8, nearThingsMoved: false))
    #expect(advice.cause == .tooFewPhotos(more: 4))
    #expect(advice.whileShooting == "2 places were never free: hold on for 4 more, seconds apart.")
    #expect(ShootingAdvice(places: 1, frames: 8, nearThingsMoved: true)?.cause == .cameraMoved)
    #expect(ShootingAdvice(places: 0, frames: 8, nearThingsMoved: true) == nil)
    #expect(ShootingAdvice(places: 1, frames: 41, nearThingsMoved: false) == nil)
  }

  /// Of all operators only clean says where they were never free.
  @Test func nearThingsThatMovedAreToldOfMedians() async throws {
    var report = try await makePlate(
      from: burst.burst(3).map { Input.frame($0) }, options: Options(combine: .median, reference: .index(0))
    ).report
    #expect(!report.summary.contains("near things moved"))
    for index in report.frames.indices.dropFirst() {
      report.frames[index].mesh = Report.Mesh(
        columns: 2, rows: 2, dx: Array(repeating: 3, count: 4), dy: Array(repeating: 0, count: 4))
    }
    #expect(report.summary.contains("near things moved"))
    report.combine = .clean
    #expect(!report.summary.contains("near things moved"))
  }
}
