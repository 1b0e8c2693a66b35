import Frames
import Testing

@testable import Stacking

/// Frames of one flat place, taken with other exposures than the reference.
@Suite struct ExposureTests {
  private static let size = Size(width: 40, height: 20)

  /// That of a frame that clips the whole place.
  private static func doubt(gain: Double, size: Size = size) -> SmoothField? {
    guard gain < 0.98 else { return nil }
    return SmoothField(columns: 2, rows: 2, size: size) { _ in Float(min((0.98 - gain) / 0.05, 1)) }
  }

  /// A frame of grey samples, of which the matched ones are `gain` times those of the file.
  private func registered(_ index: Int, sample: Int, gain: Double, noise: Double = 1, bits: Int = 8) throws
    -> RegisteredFrame
  {
    let plane = try Plane(width: Self.size.width, height: Self.size.height, bits: bits) { _, _ in
      sample << (bits - 8)
    }
    var alignment = Alignment.reference(planes: 1)
    alignment.photometric.channels[0].gain = gain
    alignment.photometric.doubt = Self.doubt(gain: gain)
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

  /// A frame with halved chroma, of which the matched samples are `gain` times those of the file, about the middle of chroma's.
  private func registered(
    _ index: Int, luma: Int, blue: (Int) -> Int = { _ in 128 }, red: Int = 128, gain: Double,
    _ encoding: PixelEncoding = .yCbCr(.bt601, .full)
  ) throws -> RegisteredFrame {
    let grid = PlaneGrid(scaleX: 2, scaleY: 2)
    let half = Size(width: Self.size.width / 2, height: Self.size.height / 2)
    let planes = [
      try Plane(width: Self.size.width, height: Self.size.height) { _, _ in luma },
      try Plane(width: half.width, height: half.height) { x, _ in blue(x) },
      try Plane(width: half.width, height: half.height) { _, _ in red },
    ]
    var alignment = Alignment.reference(planes: 3)
    for plane in 0..<3 {
      alignment.photometric.channels[plane] = .init(gain: gain, offset: 0, pivot: plane == 0 ? 0 : 128)
    }
    alignment.photometric.doubt = Self.doubt(gain: gain)
    let frame = Frame(
      planes: planes, grids: [.full, grid, grid], encoding: encoding, name: "\(index)")
    return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: alignment)
  }

  private func median(_ frames: [RegisteredFrame]) async throws -> [Plane] {
    try await stack(
      StackRequest(
        frames: frames, grids: frames[0].frame.grids, crop: Self.size.bounds, combine: .median, threads: 1))
  }

  @Test func aClippedColourCountsForNoneOfItsPlanes() async throws {
    // Red is clipped at twice the exposure though luma is not: red and luma come out too dark.
    let planes = try await median([
      registered(0, luma: 100, red: 170, gain: 1), registered(1, luma: 170, red: 192, gain: 0.5),
      registered(2, luma: 170, red: 192, gain: 0.5),
    ])
    #expect(planes[0][20, 10] == 100 && planes[2][10, 5] == 170)
  }

  /// Red of an orange leaf is clipped in all frames but the reference, before whose leaf somebody white stands: bright enough,
  /// but brighter, and of other colours, than what becomes that orange by clipping.
  @Test(arguments: [(234, 128, 128), (190, 128, 128), (234, 84, 165)])
  func somebodyBrightIsNotWhatIsClipped(luma: Int, blue: Int, red: Int) async throws {
    let leaf = try (1..<5).map { try registered($0, luma: 194, blue: { _ in 81 }, red: 168, gain: 0.93) }
    let planes = try await median([registered(0, luma: luma, blue: { _ in blue }, red: red, gain: 1)] + leaf)
    #expect(abs(planes[0][20, 10] - 180) <= 1 && abs(planes[1][10, 5] - 84) <= 1 && abs(planes[2][10, 5] - 165) <= 1)
  }

  /// The same in red, green and blue.
  @Test func somebodyOfOtherColoursIsNotWhatIsClipped() async throws {
    let frames = try [((236, 228, 224), 1.0), ((250, 198, 110), 0.93), ((250, 198, 110), 0.93)].enumerated().map {
      index, shown in
      let ((red, green, blue), gain) = shown
      let planes = try [red, green, blue].map { level in
        try Plane(width: Self.size.width, height: Self.size.height) { _, _ in level }
      }
      var alignment = Alignment.reference(planes: 3)
      for plane in 0..<3 { alignment.photometric.channels[plane].gain = gain }
      alignment.photometric.doubt = Self.doubt(gain: gain)
      return RegisteredFrame(
        index: BurstIndex(rawValue: index),
        frame: Frame(planes: planes, grids: [.full, .full, .full], encoding: .rgb, name: "\(index)"),
        alignment: alignment)
    }
    let planes = try await median(frames)
    #expect(planes.map { $0[20, 10] } == [233, 184, 102])
  }

  /// The same samples are a light green by BT.601, and one far from white by BT.709.
  @Test(arguments: [(YCbCrMatrix.bt601, false), (.bt709, true)])
  func coloursAreThoseOfTheMatrix(matrix: YCbCrMatrix, isBelieved: Bool) async throws {
    let encoding = PixelEncoding.yCbCr(matrix, .full)
    let planes = try await median([
      registered(0, luma: 100, gain: 1, encoding),
      registered(1, luma: 108, blue: { _ in 28 }, red: 28, gain: 0.5, encoding),
      registered(2, luma: 108, blue: { _ in 28 }, red: 28, gain: 0.5, encoding),
    ])
    #expect((planes[0][20, 10] == 54) == isBelieved)
  }

  /// A phone renders a bright sky otherwise in every photo; noise of a level or two decides what of it is clipped.
  @Test func whetherASampleIsClippedDoesNotShow() async throws {
    let plate = try await median([
      registered(0, luma: 213, blue: { _ in 140 }, gain: 1),
      // Blue is clipped in every other column of its samples.
      registered(1, luma: 237, blue: { $0 % 2 == 0 ? 134 : 137 }, gain: 0.95),
      registered(2, luma: 255, blue: { _ in 138 }, gain: 0.94),
    ])
    let row = (4..<36).map { plate[0][$0, 10] }
    #expect(row.max()! - row.min()! <= 2)
  }

  /// Cameras press together what comes near white: where a frame clips, what is not quite white in it is too dark as well, and
  /// how much it counts changes slowly from place to place.
  @Test func nearlyWhiteIsHardlyToBeBelieved() async throws {
    let size = Self.size
    func plate(doubt: SmoothField?) async throws -> Plane {
      // A bonnet in the sun.
      let frames = try [(176, 1.0), (178, 1), (187, 0.72), (187, 0.72), (187, 0.72)].enumerated().map { index, shown in
        let plane = try Plane(width: size.width, height: size.height) { _, _ in shown.0 }
        var alignment = Alignment.reference(planes: 1)
        alignment.photometric.channels[0].gain = shown.1
        alignment.photometric.doubt = shown.1 < 1 ? doubt : nil
        return RegisteredFrame(
          index: BurstIndex(rawValue: index), frame: Frame(planes: [plane], encoding: .grey(.full), name: "\(index)"),
          alignment: alignment)
      }
      return try await stack(
        StackRequest(frames: frames, grids: [.full], crop: size.bounds, combine: .median, threads: 1))[0]
    }
    #expect(try await plate(doubt: nil)[20, 10] == 135)
    // Frames clip the left side.
    let plane = try await plate(doubt: SmoothField(columns: 2, rows: 2, size: size, values: [1, 0, 1, 0]))
    let row = (0..<size.width).map { plane[$0, 10] }
    #expect(row.last == 135 && row[0] > 142)
    #expect(zip(row, row.dropFirst()).allSatisfy { (0...1).contains($0 - $1) })
  }

  /// Somebody bright is not what a frame shows that is far from white.
  @Test func whatIsNotWhiteIsNotMuchBrighter() async throws {
    let frames = try [
      registered(0, sample: 200, gain: 1), registered(1, sample: 190, gain: 0.5), registered(2, sample: 190, gain: 0.5),
    ]
    #expect(try await combined(frames, .median) == 95)
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
        alignment.photometric.doubt = Self.doubt(gain: gain, size: size)
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

  /// Enlarged, their noise is smooth; what counts is what they lack, as the plan says or their size lets expect.
  @Test func framesWithFewerPixelsCountLess() throws {
    var small = Alignment.reference(planes: 1)
    small.homography = Homography(2, 0, 0.5, 0, 2, 0.5, 0, 0)
    small.noise = 0.4
    let plane = try Plane(width: Self.size.width / 2, height: Self.size.height / 2) { _, _ in 100 }
    let frame = RegisteredFrame(
      index: BurstIndex(rawValue: 2), frame: Frame(planes: [plane], encoding: .grey(.full), name: "2"), alignment: small
    )
    var request = StackRequest(
      frames: try [registered(0, sample: 100, gain: 1), registered(1, sample: 100, gain: 1), frame], grids: [.full],
      crop: Self.size.bounds, combine: .clean, threads: 1)
    #expect(request.weights == [16, 16, 4])
    request.plan = SelectionPlan(
      cell: 40, columns: 1, rows: 1, sourceSets: [.everybody], choice: [0], support: [3], unresolved: [false],
      compared: 3,
      noise: [NoiseLevel(constant: 4, slope: 0)], enlargedErrors: [2: 4])
    #expect(request.weights == [16, 16, 1])
  }

  @Test func weightsOfBytesFitTheirSums() throws {
    let frames = try (0..<200).map { try registered($0, sample: 100, gain: 1, noise: $0 % 2 == 0 ? 1 : 0.5) }
    let weights = StackRequest(
      frames: frames, grids: [.full], crop: Self.size.bounds, combine: .clean, threads: 1
    ).weights
    #expect(weights.count == 200 && weights.reduce(0) { $0 + Int($1) } <= 257 && weights.min()! >= 1)
  }
}
