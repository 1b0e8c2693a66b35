import CleanPlate
import Foundation
import Frames
import Testing

/// Places of real bursts where something was wrong once.
struct RealBurstTests {
  private static let campus = (0..<5).map { "/work/shared/data/bursts/campus/frame_0\($0).jpg" }
  private static let weights = "\(DetectorOption.folder)/yolov3-tiny.weights"
  private static let isThere = (campus + [weights]).allSatisfy(FileManager.default.isReadableFile)

  /// A woman stays, since no frame shows her place free. The frame that she comes from also shows a man beside her whom three
  /// others show gone.
  @Test(.enabled(if: isThere, "needs the shared burst `campus` and Scripts/fetch-detector"))
  func nobodyStaysInPiecesBesideSomebodyWhole() async throws {
    let plate = try await makePlate(
      from: Self.campus.map { .file(path: FilePath($0)) },
      options: Options(reference: .index(2), crop: .reference, detector: .path(FilePath(Self.weights)), threads: 2)
    ).plate
    // His bag was left on the path: 8 levels where there are 65 to 89.
    let darkest = (1668..<1680).flatMap { y in (1020..<1032).map { plate.planes[0][$0, y] } }.min()
    #expect(try #require(darkest) > 50)
  }
}
