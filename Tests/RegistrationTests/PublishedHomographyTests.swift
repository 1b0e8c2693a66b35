import Codecs
import Foundation
import Frames
import SystemPackage
import Testing

@testable import Registration

/// Two photos of a painted wall and their homography, by Mikolajczyk et al. (IJCV 2005); Debian's opencv-doc has them.
@Suite struct PublishedHomography {
  private static let folder = "/usr/share/doc/opencv-doc/examples/data"

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "\(folder)/graf3.png"),
      "needs graf1.png, graf3.png and H1to3p.xml of Debian's opencv-doc"))
  func matchesAgreeWithIt() throws {
    func describe(_ name: String) throws -> FrameDescription {
      try Registrar().describe(decode(try readFile(FilePath("\(Self.folder)/\(name)")), name: name))
    }
    let truth = try #require(try published())
    let (frame, reference) = (try describe("graf1.png"), try describe("graf3.png"))
    let matches = try frame.features.matches(with: reference.features, ratio: 0.8)
    let fitted = try fitRobustly(matches, affine: false, threshold: 3)
    let hypothesis = try #require(fitted)
    #expect(hypothesis.inliers.count >= 30)
    let errors = hypothesis.inliers.map { i in
      truth(Point(matches[i].from)).distance(to: Point(matches[i].to))
    }
    #expect(percentile(errors, 0.5) < 1.5, "\(hypothesis.inliers.count) inliers")
    #expect(percentile(errors, 0.9) < 4)
    #expect(hypothesis.map.cornerDistance(to: truth, size: frame.size) < 15)
  }

  /// graf1 pixel to graf3 pixel.
  private func published() throws -> Homography? {
    let text = try String(contentsOfFile: "\(Self.folder)/H1to3p.xml", encoding: .utf8)
    guard let start = text.range(of: "<data>"), let end = text.range(of: "</data>") else { return nil }
    let numbers = text[start.upperBound..<end.lowerBound].split(whereSeparator: \.isWhitespace)
    return Homography(elements: numbers.compactMap { Double($0) })
  }
}
