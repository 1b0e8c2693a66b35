import CleanPlate
import Comparison
import Foundation
import Testing

/// Plates of TestData's bursts against the pictures in TestData/golden, which `Scripts/record-goldens` writes anew.
@Suite struct GoldenTests {
  static let testData = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "TestData")

  /// How a golden was made and how far from it a plate may be: an entry of TestData/golden/goldens.json.
  struct Golden: Decodable, Sendable, CustomTestStringConvertible {
    /// In TestData/golden, of a format without loss: WebP is smaller, PNG holds 16 bits.
    let file: String
    let burst: String
    let combine: CombineOperator
    let align: AlignmentModel
    let crop: CropMode
    let reference: Int
    /// In levels of 255.
    let tolerance: Double
    /// The share of pixels that may lie beyond the tolerance.
    let share: Double
    /// The least PSNR against the scene without people, where the reference is whole.
    let truthDecibels: Double?

    var testDescription: String { file }
    var path: String { testData.appending(path: "golden/\(file)").path }

    static let all: [Golden] = {
      do {
        let list = try Data(contentsOf: testData.appending(path: "golden/goldens.json"))
        return try JSONDecoder().decode([Golden].self, from: list)
      } catch {
        Issue.record(error)
        return []
      }
    }()
  }

  @Test(arguments: Golden.all) func plateIsAsRecorded(golden: Golden) async throws {
    let folder = Self.testData.appending(path: golden.burst).path
    let inputs = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .map { Input.file(path: FilePath(folder).appending($0)) }
    let options = try Options(
      align: golden.align, combine: golden.combine, reference: .index(golden.reference), crop: golden.crop,
      detector: .off)
    let result = try await makePlate(from: inputs, options: options)
    #expect(result.report.frames.allSatisfy { $0.accepted })
    if ProcessInfo.processInfo.environment["CLEANPLATE_RECORD_GOLDENS"] == "1" {
      let format = try #require(ImageFormat.forSuffix((golden.file as NSString).pathExtension))
      let encoding = EncodeOptions(format: format, quality: 100, strip: true)
      try writeAtomically(encode(result.plate, options: encoding), to: FilePath(golden.path))
      Issue.record("recorded \(golden.path): look at it")
      return
    }
    let recorded = try decode(readFile(FilePath(golden.path)), name: golden.file)
    let difference = try compare(result.plate, recorded, tolerance: golden.tolerance)
    #expect(
      difference.isWithinTolerance(share: golden.share),
      "largest \(difference.largest), \(100 * difference.shareBeyondTolerance) % beyond \(golden.tolerance)")
    if let decibels = golden.truthDecibels {
      let truth = try decode(readFile(FilePath(truthPath(golden))), name: "truth")
      let distance = try compare(result.plate, truth).peakSignalToNoise
      #expect(distance >= decibels)
    }
  }

  private func truthPath(_ golden: Golden) -> String {
    let paths = ["jpg", "png"].map { Self.testData.appending(path: "truth/\(golden.burst).\($0)").path }
    return paths.first { FileManager.default.fileExists(atPath: $0) } ?? paths[0]
  }
}
