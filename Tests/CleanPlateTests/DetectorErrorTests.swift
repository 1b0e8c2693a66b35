import Selection
import ShimSupport
import Testing

@testable import CleanPlate

/// What is told of a detector that cannot be had.
struct DetectorErrorTests {
  private func told(_ network: DetectorError.Network, _ kind: ShimError.Kind) -> any Error {
    DetectorOption.error(
      DetectorError(network, ShimError(kind: kind, message: "why")), weights: "folder/yolov3-tiny.weights")
  }

  @Test(
    arguments: [
      (DetectorError.Network.movers, "yolov3-tiny.weights"), (.people, "ssdlite-people.pb"),
      (.outlines, "selfie-segmentation.tflite"),
    ])
  func theFileThatIsNoNetworkIsNamed(network: DetectorError.Network, file: String) {
    #expect(
      told(network, .badData) as? PlateError == .detectorUnusable(path: FilePath("folder/\(file)"), reason: "why"))
  }

  /// Fetching the files anew would not help.
  @Test func memoryThatRunsOutIsNoFilesFault() {
    #expect((told(.people, .outOfMemory) as? ShimError)?.kind == .outOfMemory)
  }
}
