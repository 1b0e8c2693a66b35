import Frames
import Testing

@testable import Selection

/// Small pictures of frames that are exposed for longer than the reference, and clip what it shows.
@Suite struct RepairedPictureTests {
  private static let size = Size(width: 96, height: 64)
  private typealias Colour = (red: Double, green: Double, blue: Double)
  private static let sand: Colour = (200, 175, 40)

  /// A frame of one colour, and of another one in the columns 40..<56.
  /// - Parameter exposure: how many times as long as the reference's.
  private func frame(
    _ index: Int, exposure: Double, figure: Colour? = nil, _ encoding: PixelEncoding
  ) throws -> RegisteredFrame {
    func samples(_ colour: Colour) -> [Int] {
      let shown = [colour.red, colour.green, colour.blue].map { min(exposure * $0, 255) }
      switch encoding {
      case .grey: return [Int(shown[0].rounded())]
      case .rgb: return shown.map { Int($0.rounded()) }
      case .yCbCr: return yCbCr(shown[0], shown[1], shown[2])
      }
    }
    let (wall, other) = (samples(Self.sand), samples(figure ?? Self.sand))
    let planes = try wall.indices.map { plane in
      try Plane(width: Self.size.width, height: Self.size.height) { x, _ in
        (40..<56).contains(x) ? other[plane] : wall[plane]
      }
    }
    var alignment = Alignment.reference(planes: planes.count)
    for plane in planes.indices {
      alignment.photometric.channels[plane].gain = 1 / exposure
      if plane > 0, encoding != .rgb { alignment.photometric.channels[plane].pivot = 128 }
    }
    if exposure > 1 { alignment.photometric.doubt = SmoothField(columns: 2, rows: 2, size: Self.size) { _ in 1 } }
    return RegisteredFrame(
      index: BurstIndex(rawValue: index),
      frame: Frame(
        planes: planes, grids: Array(repeating: .full, count: planes.count), encoding: encoding, name: "\(index)"),
      alignment: alignment)
  }

  private func repaired(_ frames: [RegisteredFrame]) async throws -> Candidates {
    let pictures = SmallPictures(frames: frames, size: Self.size)
    return try await pictures.repaired(
      pictures.candidates(reference: 0, threads: 2), threads: 2)
  }

  private func samples(_ candidates: Candidates, _ index: Int, x: Int) -> [Int] {
    candidates.list[index].planes.map { $0[x, 30] }
  }

  /// Three frames of five clip red and green, and would be the median.
  @Test(arguments: [PixelEncoding.yCbCr(.bt601, .full), .rgb, .grey(.full)])
  func whatBrighterFramesClipIsWhatOthersShow(encoding: PixelEncoding) async throws {
    let made = try await repaired(
      [1, 2, 1, 1.8, 2].enumerated().map { try frame($0, exposure: $1, encoding) })
    for index in 0...5 {
      for (one, other) in zip(samples(made, index, x: 20), samples(made, 0, x: 20)) {
        #expect(abs(one - other) <= 2, "plane of \(index)")
      }
    }
    #expect(made.list[1].doubts?[20, 30] == 255 && made.list[0].doubts == nil && made.list[5].doubts == nil)
  }

  /// Somebody dark is not clipped, however long the exposure.
  @Test func whoIsNotClippedStays() async throws {
    let encoding = PixelEncoding.yCbCr(.bt601, .full)
    let made = try await repaired(
      [1, 2, 1, 2, 1].enumerated().map { index, exposure in
        try frame(index, exposure: exposure, figure: index == 1 ? (60, 60, 80) : nil, encoding)
      })
    let own = yCbCr(60, 60, 80)
    for (one, other) in zip(samples(made, 1, x: 48), own) { #expect(abs(one - other) <= 2) }
    #expect(made.list[1].doubts?[48, 30] == 0 && made.list[1].doubts?[20, 30] == 255)
  }

  @Test func framesThatAreExposedAlikeStayAsTheyAre() async throws {
    let frames = try [1, 1.08, 1].enumerated().map { try frame($0, exposure: $1, .rgb) }
    let pictures = SmallPictures(frames: frames, size: Self.size)
    let made = try await pictures.candidates(reference: 0, threads: 2)
    let after = try await pictures.repaired(made, threads: 2)
    #expect(after.list.allSatisfy { $0.doubts == nil })
    #expect(zip(made.list, after.list).allSatisfy { $0.planes == $1.planes })
  }
}
