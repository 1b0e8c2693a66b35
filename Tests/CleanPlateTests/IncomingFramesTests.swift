import CleanPlate
import Synchronization
import TestScenes
import Testing

/// Frames that come in one after another, and runs whose events are a sequence.
struct IncomingFramesTests {
  private let burst = PipelineTests()

  private func stream(_ frames: [Frame], then error: (any Error)? = nil) -> AsyncThrowingStream<Frame, any Error> {
    AsyncThrowingStream { continuation in
      for frame in frames { continuation.yield(frame) }
      continuation.finish(throwing: error)
    }
  }

  @Test(arguments: [ReferenceOption.auto, .index(2)], [false, true])
  func thePlateIsThatOfTheSameFramesAtOnce(_ reference: ReferenceOption, _ previews: Bool) async throws {
    let frames = try burst.burst(7)
    let options = try Options(reference: reference, detector: .off, previews: previews)
    let shown = Mutex(0)
    let result = try await makePlate(from: stream(frames), options: options) { event in
      if case .preview = event { shown.withLock { $0 += 1 } }
    }
    let whole = try await makePlate(from: frames.map { .frame($0) }, options: options)
    #expect(result.plate.planes == whole.plate.planes)
    #expect(result.report.frames == whole.report.frames)
    // One for every frame after the one that they are drawn in.
    // What comes before the reference is shown with it.
    #expect(shown.withLock(\.self) == (previews ? 6 : 0))
  }

  /// The plate so far is there before the next frame is.
  @Test func framesAreLookedAtAsTheyComeIn() async throws {
    let frames = try burst.burst(4)
    let (stream, camera) = AsyncStream.makeStream(of: Frame.self)
    let run = PlateRun(from: stream, options: try Options(detector: .off, previews: true))
    camera.yield(frames[0])
    var sent = 1
    var previews = 0
    for await event in run.events {
      switch event {
      case .preview: previews += 1
      case .progress(.decode, let done, _):
        #expect(done == sent, "nothing more has come in")
        if sent < frames.count { camera.yield(frames[sent]) } else { camera.finish() }
        sent += 1
      default: break
      }
    }
    #expect(previews == 3)
    #expect(try await run.result.report.frames.count == 4)
  }

  @Test func whatEndsTheFramesEndsTheRun() async throws {
    struct Unplugged: Error {}
    let frames = try burst.burst(3)
    let options = try Options(detector: .off)
    await #expect(throws: Unplugged.self) {
      try await makePlate(from: stream(frames, then: Unplugged()), options: options)
    }
    await #expect(throws: PlateError.tooFewInputs(1)) {
      try await makePlate(from: stream(Array(frames[..<1])), options: options)
    }
  }

  @Test func eventsAreASequence() async throws {
    let inputs = try burst.burst(4).map { Input.frame($0) }
    let options = try Options(detector: .off)
    let run = PlateRun(from: inputs, options: options)
    var stages: [Stage] = []
    var decoded: Set<Int> = []
    for await event in run.events {
      if case .finished(let stage, _) = event { stages.append(stage) }
      if case .decoded(let index, _, _) = event { decoded.insert(index) }
    }
    #expect(stages == [.decode, .register, .select, .stack])
    #expect(decoded == [0, 1, 2, 3])
    let plate = try await makePlate(from: inputs, options: options).plate
    #expect(try await run.result.plate.planes == plate.planes)
  }

  /// A camera that never sends another frame is waited for no longer.
  @Test(arguments: [true, false]) func aRunIsCalledOff(_ byItself: Bool) async throws {
    let (stream, camera) = AsyncStream.makeStream(of: Frame.self)
    camera.yield(try burst.burst(2)[0])
    let run = PlateRun(from: stream, options: try Options(detector: .off))
    if byItself {
      run.cancel()
      await #expect(throws: CancellationError.self) { try await run.result }
    } else {
      let waiting = Task { try await run.result }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    for await _ in run.events {}
  }
}
