import Frames
import Testing

@testable import Selection

/// How frames become the small pictures that are compared.
@Suite struct SmallPicturesTests {
  /// Frames of 4:2:0 that show one scene, shifted by whole pixels: a luma pixel's colours are its column and its row.
  private func pictures(_ shifts: [(x: Int, y: Int)], size: Size) throws -> SmallPictures {
    let grids = [PlaneGrid.full, PlaneGrid(scaleX: 2, scaleY: 2), PlaneGrid(scaleX: 2, scaleY: 2)]
    let frames = try shifts.enumerated().map { index, shift in
      let planes = try grids.enumerated().map { plane, grid in
        let own = grid.planeSize(for: size)
        return try Plane(width: own.width, height: own.height) { x, y in
          let (x, y) = (
            Double(grid.scaleX * x + shift.x) + grid.offsetX, Double(grid.scaleY * y + shift.y) + grid.offsetY
          )
          return Int((10 + (plane == 1 ? x * 200 / Double(size.width) : y * 200 / Double(size.height))).rounded())
        }
      }
      let frame = Frame(planes: planes, grids: grids, encoding: .yCbCr(.bt601, .full), name: "\(index)")
      var alignment = Alignment.reference(planes: 3)
      alignment.homography = Homography(1, 0, Double(shift.x), 0, 1, Double(shift.y), 0, 0)
      return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: alignment)
    }
    return SmallPictures(frames: frames, size: size)
  }

  @Test(arguments: [
    (Size(width: 96, height: 64), 1), (Size(width: 1500, height: 900), 2), (Size(width: 2100, height: 1500), 3),
  ]) func chromaLiesWhereLumaDoes(size: Size, factor: Int) async throws {
    let made = try pictures([(0, 0), (6, 4), (-5, 3)], size: size)
    #expect(made.factor == factor)
    let candidates = try await made.candidates(reference: 0, threads: 2)
    for frame in candidates.frames {
      for y in stride(from: 2, to: made.size.height - 2, by: 7) {
        for x in stride(from: 2, to: made.size.width - 2, by: 7) where frame.covers(x: x, y: y) {
          let column = Double(factor * x) + Double(factor - 1) / 2
          let row = Double(factor * y) + Double(factor - 1) / 2
          #expect(abs(Double(frame.planes[1][x, y]) - 10 - column * 200 / Double(size.width)) < 1.6)
          #expect(abs(Double(frame.planes[2][x, y]) - 10 - row * 200 / Double(size.height)) < 1.6)
        }
      }
    }
  }

  @Test func chromaTakesNothingFromTheRim() async throws {
    let made = try pictures([(0, 0), (6, 4), (-5, 3)], size: Size(width: 96, height: 64))
    let candidates = try await made.candidates(reference: 0, threads: 1)
    #expect(candidates.list[0].coverage.allSatisfy { $0 == 0..<96 })
    // One pixel of what is shown is mixed with what is beyond it, unless the frame goes on beyond the picture.
    #expect(candidates.list[1].coverage[30] == 7..<96)
    // The last column but one has a sample of chroma whose centre lies beyond.
    #expect(candidates.list[2].coverage[30] == 0..<89)
    #expect((0..<64).filter { candidates.list[1].coverage[$0].isEmpty } == [0, 1, 2, 3])
  }

  /// A phone that renders a part of a frame brighter than the reference clips there what is grey once it is matched.
  @Test func whiteIsClippedByWhatTheFrameIsMatchedByThere() throws {
    let size = Size(width: 96, height: 64)
    func clipped(_ level: Int, gains: SmoothField?) throws -> Plane? {
      var alignment = Alignment.reference(planes: 1)
      alignment.photometric.channels[0].gains = gains
      let plane = try Plane(width: size.width, height: size.height) { _, _ in level }
      let frame = Frame(planes: [plane], grids: [.full], encoding: .grey(.full), name: "0")
      let registered = RegisteredFrame(index: 0, frame: frame, alignment: alignment)
      return try SmallPictures(frames: [registered, registered], size: size).candidate(of: 0).clipped
    }
    let gains = SmoothField(columns: 2, rows: 2, size: size) { $0.x < 48 ? 0.7 : 1 }
    let white = try #require(try clipped(255, gains: gains))
    #expect([4, 48, 92].allSatisfy { white[$0, 30] == 255 })
    // As bright at the right as the clipped ones at the left are.
    #expect(try clipped(180, gains: gains)?[92, 30] == 0)
    #expect(try clipped(235, gains: nil) == nil)
    #expect(try clipped(250, gains: nil)?[48, 30] == 255)
  }

  /// Green at its most is far from white in brightness. It matters only where the frame is brighter than the reference.
  @Test(arguments: [PixelEncoding.yCbCr(.bt601, .full), .rgb]) func coloursAreClippedBeforeBrightness(
    encoding: PixelEncoding
  ) throws {
    let size = Size(width: 96, height: 64)
    func clipped(_ red: Double, _ green: Double, _ blue: Double, gain: Double) throws -> (level: Int, ofColours: Bool) {
      let levels = encoding == .rgb ? [red, green, blue].map { Int($0) } : yCbCr(red, green, blue)
      var alignment = Alignment.reference(planes: 3)
      for plane in 0..<3 {
        alignment.photometric.channels[plane].gain = gain
        if plane > 0, encoding != .rgb { alignment.photometric.channels[plane].pivot = 128 }
      }
      let planes = try levels.map { level in try Plane(width: size.width, height: size.height) { _, _ in level } }
      let frame = Frame(planes: planes, grids: [.full, .full, .full], encoding: encoding, name: "0")
      let registered = RegisteredFrame(index: 0, frame: frame, alignment: alignment)
      let candidate = try SmallPictures(frames: [registered, registered], size: size).candidate(of: 0)
      return (candidate.clipped?[48, 30] ?? 0, candidate.clipsColours)
    }
    #expect(try clipped(200, 60, 255, gain: 0.5) == (123, true))
    #expect(try clipped(255, 60, 100, gain: 0.5) == (123, true))
    #expect(try clipped(255, 255, 255, gain: 0.5) == (255, true))
    #expect(try clipped(200, 120, 220, gain: 0.5) == (0, true))
    // As bright as the reference, which clips the same.
    #expect(try clipped(200, 60, 255, gain: 1) == (0, false))
    #expect(try clipped(255, 255, 255, gain: 1) == (255, false))
  }
}
