import CleanPlate
import Foundation
import Synchronization
import TestScenes
import Testing

struct PipelineTests {
  let size = Size(width: 320, height: 240)
  let scene = Scene(seed: 5)

  /// Handheld photos of the scene; one walker crosses it from photo to photo.
  func burst(_ count: Int) throws -> [Frame] {
    try (0..<count).map { index in
      try scene.photo(
        size, camera: Scene.handheld(index), figures: [.init(x: 20 + 50 * Double(index), y: 120, radius: 20)],
        gain: 1 + 0.02 * Double(index % 3), noise: 1.5, noiseSeed: UInt64(index), name: "photo \(index)")
    }
  }

  /// Mean absolute difference in luma between a plate and the empty scene on the same rectangle.
  func error(of result: PlateResult) throws -> Double {
    let truth = try scene.photo(size)
    let crop = result.report.crop
    var total = 0
    for y in 0..<crop.height {
      for x in 0..<crop.width {
        total += abs(result.plate.planes[0][x, y] - truth.planes[0][crop.x + x, crop.y + y])
      }
    }
    return Double(total) / Double(crop.area)
  }

  @Test func removesAWalkerFromPlanes() async throws {
    let inputs = try burst(7).map { Input.frame($0) }
    let result = try await makePlate(from: inputs, options: Options(combine: .median, reference: .index(0)))
    let difference = try error(of: result)
    #expect(difference < 1.5)
    #expect(result.report.frames.count(where: \.accepted) == 7)
    #expect(result.plate.size == Size(width: result.report.crop.width, height: result.report.crop.height))
    #expect(result.report.crop.area > size.area * 7 / 10)
  }

  /// They are tried one way and the other, which is nobody's business.
  @Test func referenceOfTwoStrangersIsToldOnce() async throws {
    let inputs = try [5, 6].map { Input.frame(try Scene(seed: $0).photo(size, name: "scene \($0)")) }
    let told = Mutex(0)
    await #expect(throws: PlateError.self) {
      try await makePlate(from: inputs, options: Options()) { event in
        if case .referenceChosen = event { told.withLock { $0 += 1 } }
      }
    }
    #expect(told.withLock { $0 } == 1)
  }

  @Test func takesEncodedBytes() async throws {
    let inputs = try burst(5).map { frame in
      Input.bytes(try encode(frame, options: EncodeOptions(format: .jpeg)), name: frame.name)
    }
    let options = try Options(combine: .median, reference: .index(0), crop: .reference)
    let result = try await makePlate(from: inputs, options: options)
    let difference = try error(of: result)
    #expect(difference < 2)
    #expect(result.report.crop == size.bounds)
  }

  @Test(arguments: [1, 2, 5]) func givesTheSameSamplesOnAnyNumberOfThreads(threads: Int) async throws {
    let inputs = try burst(5).map { Input.frame($0) }
    let one = try await makePlate(from: inputs, options: Options(combine: .median, threads: 1))
    let many = try await makePlate(from: inputs, options: Options(combine: .median, threads: threads))
    #expect(one.plate.planes == many.plate.planes)
  }

  /// Frames, what is made of them and what registration keeps of them wait in temporary files.
  @Test(arguments: [nil, 16]) func givesTheSameSamplesInLittleMemory(bits: Int?) async throws {
    let inputs = try burst(12).map { frame in
      Input.bytes(try encode(frame, options: EncodeOptions(format: .png)), name: frame.name)
    }
    let free = try await makePlate(from: inputs, options: Options(bits: bits))
    let bounded = try await makePlate(from: inputs, options: Options(memory: 1 << 20, bits: bits))
    #expect(free.plate.planes == bounded.plate.planes)
    #expect(free.report.frames == bounded.report.frames)
  }

  /// The mean of frames with noise holds more than their 8 bits.
  @Test func keepsTheBitsOfAMean() async throws {
    let inputs = try burst(6).map { Input.frame($0) }
    let options = try Options(combine: .clean, reference: .index(0), crop: .reference, bits: 16)
    let result = try await makePlate(from: inputs, options: options)
    #expect(result.plate.bits == 16)
    let row = (0..<size.width).map { result.plate.planes[0][$0, 60] }
    // 257 is what one of 8 bits becomes.
    #expect(row.count { $0 % 257 != 0 } > size.width / 2)
  }

  @Test func tellsWhatHappens() async throws {
    var inputs = try burst(4).map { Input.frame($0) }
    inputs.append(.bytes(Array("no picture".utf8), name: "notes"))
    let events = Mutex<[Event]>([])
    _ = try await makePlate(from: inputs, options: Options(combine: .median)) { event in
      events.withLock { $0.append(event) }
    }
    let told = events.withLock(\.self)
    let rejected = told.compactMap { event -> String? in
      if case .rejected(_, let name, _) = event { name } else { nil }
    }
    #expect(rejected == ["notes"])
    let finished = told.compactMap { event -> Stage? in
      if case .finished(let stage, _) = event { stage } else { nil }
    }
    #expect(finished == [.decode, .register, .stack])
    #expect(told.contains { if case .progress(.stack, let done, let total) = $0 { done == total } else { false } })
    #expect(told.count { if case .registered = $0 { true } else { false } } == 4)
  }

  /// What was placed as it came in keeps to its frame when one before it turns out to be unreadable.
  @Test func unreadableFramesBeforeAChosenReference() async throws {
    let frames = try burst(4).map { Input.frame($0) }
    let options = try Options(combine: .median, reference: .index(2))
    let result = try await makePlate(from: [.bytes(Array("no".utf8), name: "notes")] + frames, options: options)
    #expect(result.report.frames.map(\.accepted) == [false, true, true, true, true])
    let whole = try await makePlate(from: frames, options: Options(combine: .median, reference: .index(1)))
    #expect(result.report.frames.dropFirst().map(\.homography) == whole.report.frames.map(\.homography))
    #expect(result.plate.planes == whole.plate.planes)
  }

  /// Too few are sharp to leave the others out.
  @Test func aPlateOfBlurredFramesIsCalledThat() async throws {
    func blurred(_ frame: Frame) throws -> Frame {
      let planes = try frame.planes.map { plane in
        try Plane(width: plane.width, height: plane.height, bits: plane.bits) { x, y in
          (-6...6).reduce(0) { $0 + plane[min(max(x + $1, 0), plane.width - 1), y] } / 13
        }
      }
      return Frame(planes: planes, grids: frame.grids, encoding: frame.encoding, name: frame.name)
    }
    let sharp = try burst(3)
    let inputs = [sharp[0], try blurred(sharp[1]), try blurred(sharp[2])]
    func summary(_ frames: [Frame]) async throws -> String {
      let options = try Options(combine: .median, reference: .index(0))
      return try await makePlate(from: frames.map { Input.frame($0) }, options: options).report.summary
    }
    #expect(try await summary(inputs).contains("; 2 of them are blurred"))
    #expect(try await !summary(sharp).contains("blurred"))
  }

  @Test func needsTwoFrames() async throws {
    let frame = Input.frame(try burst(1)[0])
    await #expect(throws: PlateError.tooFewInputs(1)) { try await makePlate(from: [frame], options: Options()) }
    let alien = Input.frame(try Scene(seed: 1234).photo(size))
    let error = await #expect(throws: PlateError.self) {
      try await makePlate(from: [frame, alien], options: Options(reference: .index(0)))
    }
    guard case .tooFewGoodFrames(accepted: 1, let rejected)? = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(rejected.map(\.index) == [1])
  }

  @Test func stopsWhenCancelled() async throws {
    let inputs = try burst(6).map { Input.frame($0) }
    let task = Task { try await makePlate(from: inputs, options: Options()) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// No stage begins another step; those under way, one a thread at most, are short.
  @Test(arguments: [Stage.decode, .register, .select, .stack]) func endsWithWhatIsUnderWay(_ stage: Stage) async throws
  {
    struct State {
      var task: Task<PlateResult, any Error>?
      var isCancelled = false
      var stepsAfter = 0
    }
    let threads = 2
    let inputs = try burst(12).map { Input.frame($0) }
    let options = try Options(detector: .off, threads: threads)
    let state = Mutex(State())
    let (beginning, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in beginning { break }
      return try await makePlate(from: inputs, options: options) { event in
        state.withLock { state in
          switch event {
          case .progress where state.isCancelled, .started where state.isCancelled: state.stepsAfter += 1
          case .progress(stage, _, _):
            state.task?.cancel()
            state.isCancelled = true
          default: break
          }
        }
      }
    }
    state.withLock { $0.task = task }
    begin.yield()
    await #expect(throws: CancellationError.self) { try await task.value }
    let (isCancelled, stepsAfter) = state.withLock { ($0.isCancelled, $0.stepsAfter) }
    #expect(isCancelled && stepsAfter < threads, "\(stepsAfter)")
  }

  @Test func alignsFramesOntoTheReference() async throws {
    let inputs = try burst(4).map { Input.frame($0) }
    let options = try Options(reference: .index(0), crop: .reference)
    var indices: [Int] = []
    let report = try await alignFrames(of: inputs, options: options) { index, frame in
      indices.append(index)
      #expect(frame.size == size)
    }
    #expect(indices == [0, 1, 2, 3])
    #expect(report.frames.allSatisfy { $0.accepted })
  }

  @Test func refusesOptionsOutOfRange() {
    #expect(throws: OptionError.threads(0)) { try Options(threads: 0) }
    #expect(throws: OptionError.reference(-1)) { try Options(reference: .index(-1)) }
    #expect(throws: OptionError.memory(5)) { try Options(memory: 5) }
  }
}
