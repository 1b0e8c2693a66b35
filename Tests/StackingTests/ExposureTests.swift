import Frames
import Testing

@testable import Stacking

/// Frames of one flat place, taken with other exposures than the reference.
@Suite struct ExposureTests {
  private static let size = Size(width: 40, height: 20)

  /// A frame of grey samples, of which the matched ones are `gain` times those of the file.
  private func registered(_ index: Int, sample: Int, gain: Double, noise: Double = 1, bits: Int = 8) throws
    -> RegisteredFrame
  {
    let plane = try Plane(width: Self.size.width, height: Self.size.height, bits: bits) { _, _ in
      sample << (bits - 8)
    }
    var alignment = Alignment.reference(planes: 1)
    alignment.photometric.channels[0].gain = gain
    alignment.noise = noise
    return RegisteredFrame(
      index: BurstIndex(rawValue: index), frame: Frame(planes: [plane], encoding: .grey(.full), name: "\(index)"),
      alignment: alignment)
  }

  private func combined(_ frames: [RegisteredFrame], _ combine: CombineOperator) async throws -> Int {
    let request = StackRequest(
      frames: frames, grids: [.full], crop: Self.size.bounds, combine: combine, threads: 1)
    return try await stack(request)[0][20, 10]
  }

  @Test(arguments: [CombineOperator.median, .clean], [8, 16])
  func clippedSamplesDoNotOutvoteOthers(combine: CombineOperator, bits: Int) async throws {
    // The sky is at 200 of the reference; at twice the exposure and more it is white.
    let frames = try [
      registered(0, sample: 200, gain: 1, bits: bits), registered(1, sample: 255, gain: 0.5, bits: bits),
      registered(2, sample: 255, gain: 0.5, bits: bits), registered(3, sample: 100, gain: 2, bits: bits),
      registered(4, sample: 255, gain: 0.25, bits: bits),
    ]
    #expect(try await combined(frames, combine) >> (bits - 8) == 200)
  }

  /// All that is known of a clipped sample is that it was as bright at least: somebody dark is not what it shows.
  @Test(arguments: [8, 16])
  func clippedSamplesSpeakAgainstWhatIsDarker(bits: Int) async throws {
    let frames = try [
      registered(0, sample: 34, gain: 1, bits: bits), registered(1, sample: 61, gain: 2, bits: bits),
      registered(2, sample: 255, gain: 0.5, bits: bits),
    ]
    #expect(try await combined(frames, .median) >> (bits - 8) == 122)
  }

  @Test func whatIsClippedInAllIsAsBrightAsCanBe() async throws {
    let frames = try [
      registered(0, sample: 255, gain: 0.5), registered(1, sample: 255, gain: 0.7),
      registered(2, sample: 255, gain: 0.25),
    ]
    #expect(try await combined(frames, .median) == 179)
  }

  @Test func aClippedColourCountsForNoneOfItsPlanes() async throws {
    // Red is clipped at twice the exposure though luma is not: red and luma come out too dark.
    func registered(_ index: Int, _ luma: Int, _ red: Int, gain: Double) throws -> RegisteredFrame {
      let grid = PlaneGrid(scaleX: 2, scaleY: 2)
      let planes = try [luma, 128, red].enumerated().map { plane, value in
        try Plane(width: plane == 0 ? 40 : 20, height: plane == 0 ? 20 : 10) { _, _ in value }
      }
      var alignment = Alignment.reference(planes: 3)
      for plane in 0..<3 {
        alignment.photometric.channels[plane] = .init(gain: gain, offset: 0, pivot: plane == 0 ? 0 : 128)
      }
      let frame = Frame(
        planes: planes, grids: [.full, grid, grid], encoding: .yCbCr(.bt601, .full), name: "\(index)")
      return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: alignment)
    }
    let frames = try [
      registered(0, 100, 170, gain: 1), registered(1, 170, 192, gain: 0.5), registered(2, 170, 192, gain: 0.5),
    ]
    let request = StackRequest(
      frames: frames, grids: frames[0].frame.grids, crop: Self.size.bounds, combine: .median, threads: 1)
    let planes = try await stack(request)
    #expect(planes[0][20, 10] == 100 && planes[2][10, 5] == 170)
  }

  /// A worker's memory still holds what an earlier tile showed where a bright frame covers a row of luma but none of chroma.
  @Test func coloursOfAnEarlierTileDoNotMatterAtAFramesEdge() async throws {
    let size = Size(width: TileLayout.width, height: 2 * TileLayout.height)
    let grid = PlaneGrid(scaleX: 2, scaleY: 2)
    // Frame 1 ends one row into the second tile.
    let moved = Double(TileLayout.height) - 0.8
    func plate(red: Int) async throws -> [Plane] {
      let frames = try [(1, 60), (0.5, 60), (0.5, 70)].enumerated().map { index, shown in
        let (gain, luma) = shown
        let planes = [
          try Plane(width: size.width, height: size.height) { _, y in
            // Dark above, or red would be clipped there as well.
            index == 1 && y < size.height - 1 ? 60 : Int(Double(luma) / gain)
          },
          try Plane(width: size.width / 2, height: size.height / 2) { _, _ in 128 },
          try Plane(width: size.width / 2, height: size.height / 2) { _, _ in index == 1 ? red : 128 },
        ]
        var alignment = Alignment.reference(planes: 3)
        alignment.homography = .translation(x: 0, y: index == 1 ? -moved : 0)
        for plane in 0..<3 {
          alignment.photometric.channels[plane] = .init(gain: gain, offset: 0, pivot: plane == 0 ? 0 : 128)
        }
        let frame = Frame(
          planes: planes, grids: [.full, grid, grid], encoding: .yCbCr(.bt601, .full), name: "\(index)")
        return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: alignment)
      }
      let request = StackRequest(
        frames: frames, grids: frames[0].frame.grids, crop: size.bounds, combine: .median, threads: 1)
      return try await stack(request)
    }
    let row = TileLayout.height
    let (grey, red) = (try await plate(red: 128), try await plate(red: 255))
    #expect(grey[0][50, row] == red[0][50, row])
  }

  @Test func framesWithLessNoiseCountMore() async throws {
    let frames = try [
      registered(0, sample: 100, gain: 1), registered(1, sample: 103, gain: 1, noise: 0.25),
      registered(2, sample: 99, gain: 1),
    ]
    #expect(try await combined(frames, .clean) == 103)
    let request = StackRequest(frames: frames, grids: [.full], crop: Self.size.bounds, combine: .clean, threads: 1)
    #expect(request.weights == [1, 16, 1])
    var alike = request
    alike.frames = try (0..<3).map { try registered($0, sample: 100, gain: 1, noise: 1 + 0.1 * Double($0)) }
    #expect(alike.weights == [1, 1, 1])
  }

  @Test func weightsOfBytesFitTheirSums() throws {
    let frames = try (0..<200).map { try registered($0, sample: 100, gain: 1, noise: $0 % 2 == 0 ? 1 : 0.5) }
    let weights = StackRequest(
      frames: frames, grids: [.full], crop: Self.size.bounds, combine: .clean, threads: 1
    ).weights
    #expect(weights.count == 200 && weights.reduce(0) { $0 + Int($1) } <= 257 && weights.min()! >= 1)
  }
}
