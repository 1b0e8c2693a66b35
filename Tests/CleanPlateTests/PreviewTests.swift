import CleanPlate
import Resampling
import Synchronization
import TestScenes
import Testing

struct PreviewTests {
  private let burst = PipelineTests()

  private func previews(_ options: Options, of count: Int) async throws -> (pictures: [Frame], result: PlateResult) {
    let pictures = Mutex<[Frame]>([])
    let result = try await makePlate(from: try burst.burst(count).map { Input.frame($0) }, options: options) { event in
      if case .preview(let picture) = event { pictures.withLock { $0.append(picture) } }
    }
    return (pictures.withLock(\.self), result)
  }

  /// Mean absolute difference in luma between a preview and the empty scene, of which it shows the whole.
  private func error(of preview: Frame, drawnIn reference: Int) throws -> Double {
    let truth = try burst.scene.photo(burst.size, camera: Scene.handheld(reference), gain: 1).planes[0]
    let factor = burst.size.width / preview.size.width
    let shown = try truth.averaged(over: factor)
    var total = 0
    for y in 0..<shown.height {
      for x in 0..<shown.width { total += abs(preview.planes[0][x, y] - shown[x, y]) }
    }
    return Double(total) / Double(shown.width * shown.height)
  }

  @Test(arguments: [(ReferenceOption.auto, 0), (.index(3), 3)])
  func becomesCleanWhileFramesComeIn(reference: ReferenceOption, drawnIn index: Int) async throws {
    let options = try Options(combine: .median, reference: reference, threads: 1, previews: true)
    let (pictures, result) = try await previews(options, of: 8)
    #expect(pictures.count == 7, "one for every frame but the reference")
    // The first is a mean of two, in which the walker shows twice.
    let last = try #require(pictures.last)
    #expect(try error(of: last, drawnIn: index) < 2)
    let without = try await previews(
      Options(combine: .median, reference: reference, threads: 1), of: 8)
    #expect(without.pictures.isEmpty)
    #expect(without.result.plate.planes == result.plate.planes)
  }

  @Test func neverFallsBehind() async throws {
    let (pictures, _) = try await previews(Options(combine: .median, threads: 4, previews: true), of: 12)
    #expect((1...11).contains(pictures.count))
  }
}
