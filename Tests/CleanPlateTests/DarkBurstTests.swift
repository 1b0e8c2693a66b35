import CleanPlate
import Synchronization
import TestScenes
import Testing

/// Samples that reach a few hundredths of the range: 12 bits in words, or linear pictures that are underexposed.
struct DarkBurstTests {
  private let scene = Scene(seed: 12)

  /// Photos whose largest sample takes so many bits, told to have others; one walker crosses them.
  private func burst(using used: Int, of bits: Int) throws -> [Frame] {
    try (0..<6).map { index in
      let figure = Scene.Figure(x: 20 + 55 * Double(index), y: 120, radius: 20)
      let photo = try scene.photo(
        Size(width: 320, height: 240), camera: Scene.handheld(index), figures: [figure], name: "photo \(index)")
      let planes = try [4, 3, 2].map { quarters in
        try Plane(width: 320, height: 240, bits: bits) { x, y in
          (min(photo.planes[0][x, y], 255) << (used - 8)) * quarters / 4
        }
      }
      return Frame(planes: planes, encoding: .rgb, name: photo.name)
    }
  }

  private func samples(_ planes: [Plane]) -> [Int] {
    planes.flatMap { plane in
      (0..<plane.height).flatMap { y in plane.withUnsafeRow(y, as: UInt16.self) { $0.map(Int.init) } }
    }
  }

  @Test(arguments: [9, 10, 12, 14]) func aDarkBurstIsSeenAsABrightOne(used: Int) async throws {
    let options = try Options(detector: .off, foreground: true)
    let dark = try await makePlate(from: try burst(using: used, of: 16).map { .frame($0) }, options: options)
    let bright = try await makePlate(from: try burst(using: used, of: used).map { .frame($0) }, options: options)
    #expect(dark.report.frames.count(where: \.accepted) == 6)
    #expect(dark.plate.bits == 16)
    #expect(dark.report.crop == bright.report.crop)
    #expect(samples(dark.plate.planes) == samples(bright.plate.planes))
    let people = try #require(dark.foreground)
    #expect(people.colours.bits == 16 && people.alpha.bits == 16)
    #expect(samples([people.alpha]).max() == 65535)
  }

  @Test func whatAnOptionWantsInBitsCountsFromTheFiles() async throws {
    let inputs = try burst(using: 9, of: 12).map { Input.frame($0) }
    let plain = try await makePlate(from: inputs, options: Options(combine: .median, detector: .off))
    let deep = try await makePlate(from: inputs, options: Options(combine: .median, detector: .off, bits: 16))
    #expect(plain.plate.bits == 12 && deep.plate.bits == 16)
    let (few, many) = (samples(plain.plate.planes), samples(deep.plate.planes))
    #expect(zip(few, many).allSatisfy { abs($0 * 65535 / 4095 - $1) <= 24 })
  }

  @Test func framesThatArriveMakeTheSamePlate() async throws {
    let frames = try burst(using: 11, of: 16)
    let options = try Options(detector: .off)
    let known = try await makePlate(from: frames.map { .frame($0) }, options: options)
    let stream = AsyncStream { continuation in
      for frame in frames { continuation.yield(frame) }
      continuation.finish()
    }
    let arrived = try await makePlate(from: stream, options: options)
    #expect(arrived.plate.planes == known.plate.planes)
  }

  /// Whoever still holds the camera sees what the plate will show.
  @Test(arguments: [9, 11]) func aPlateThatGrowsTakesTheSameFrames(used: Int) async throws {
    let frames = try burst(using: used, of: 16)
    let live = LivePlate()
    for frame in frames { #expect(try await live.add(frame).rejection == nil) }
    let shown = try #require(try await live.plate())
    let plate = try await makePlate(
      from: frames.map { .frame($0) },
      options: Options(combine: .median, reference: .index(0), crop: .reference, detector: .off)
    ).plate
    for y in stride(from: 20, to: 220, by: 9) {
      for x in stride(from: 20, to: 300, by: 9) {
        #expect(abs(shown.planes[0][x, y] - plate.planes[0][x, y] >> 8) <= 1)
      }
    }
  }

  @Test(arguments: [ReferenceOption.auto, .index(0)]) func aPreviewTakesThemToo(reference: ReferenceOption) async throws
  {
    let previews = Mutex<[Frame]>([])
    let options = try Options(combine: .median, reference: reference, detector: .off, threads: 1, previews: true)
    let frames = try burst(using: 10, of: 16)
    let result = try await makePlate(from: frames.map { .frame($0) }, options: options) { event in
      if case .preview(let picture) = event { previews.withLock { $0.append(picture) } }
    }
    #expect(previews.withLock(\.count) == 5)
    let without = try await makePlate(
      from: frames.map { .frame($0) },
      options: Options(combine: .median, reference: reference, detector: .off, threads: 1))
    #expect(without.plate.planes == result.plate.planes)
  }

  /// What is looked at closely has the files' bits, too.
  @Test func anEditablePlateIsTheSame() async throws {
    let inputs = try burst(using: 11, of: 16).map { Input.frame($0) }
    let options = try Options(detector: .off)
    let desk = try await EditablePlate(of: inputs, options: options)
    let plate = try await makePlate(from: inputs, options: options).plate
    let closely = try #require(await desk.picture(of: desk.crop))
    #expect(await desk.plate.planes == plate.planes)
    #expect(closely.planes == plate.planes)
  }
}
