import Frames
import Selection
import TestScenes
import Testing

@testable import CleanPlate

/// Which contests are kept while edits come and go.
struct EditHistoryTests {
  private func history() async throws -> EditHistory {
    let scene = Scene(seed: 5)
    let size = Size(width: 160, height: 120)
    let frames = try (0..<3).map { index in
      Input.frame(
        try scene.photo(
          size, camera: Scene.handheld(index), figures: index == 1 ? [Scene.Figure(x: 60, y: 60, radius: 12)] : [],
          noise: 1.5, noiseSeed: UInt64(index), name: "photo \(index)"))
    }
    let options = try Options(reference: .index(0), detector: .off, threads: 2)
    let (monitor, resources) = (RunMonitor { _ in }, RunResources(options))
    let burst = try await decode(frames, options, resources, monitor)
    let developed = try await develop(burst, options, sharing: resources, keepsContest: true, monitor)
    return EditHistory(try #require(developed.contest).edited)
  }

  /// Strokes from one frame or the other, at places that come round again.
  private let edits = (0..<14).map { index in
    let stroke = Stroke(points: [Point(x: Double(20 + index % 5 * 25), y: Double(30 + index % 3 * 25))], radius: 8)
    return Edit.take(frame: RegisteredIndex(rawValue: 1 + index % 2), .stroke(stroke))
  }

  @Test func fewEditsAreDecidedAgainWhenManyAreTakenBack() async throws {
    let empty = try await history()
    var history = empty
    for count in 1...edits.count { history = try await history.with(Array(edits.prefix(count)), threads: 1) }
    #expect(history.current.edits == edits)
    #expect(history.keptCounts.count <= 8)
    for count in (0..<edits.count).reversed() {
      let known = history.keptCounts.filter { $0 <= count }.max() ?? 0
      #expect(count - known <= 3, "\(count) edits, of which \(known) are known")
      history = try await history.with(Array(edits.prefix(count)), threads: 1)
      #expect(history.current.edits.count == count)
    }
    #expect(try await history.current.plan(threads: 1) == empty.current.plan(threads: 1))
  }

  @Test func whatIsKeptOfOtherEditsIsPassedOver() async throws {
    let empty = try await history()
    let first = try await empty.with(Array(edits.prefix(6)), threads: 1)
    let others = [edits[0]] + edits.suffix(5)
    let changed = try await first.with(others, threads: 1)
    let anew = try await empty.with(others, threads: 1)
    #expect(changed.current.edits == others)
    #expect(try await changed.current.plan(threads: 1) == anew.current.plan(threads: 1))
  }
}
