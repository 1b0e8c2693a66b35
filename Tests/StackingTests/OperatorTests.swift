import Frames
import Testing

@testable import Stacking

/// The operators on flat frames, whose values are known.
@Suite struct OperatorTests {
  private static let size = Size(width: 40, height: 20)

  private func frames(_ colours: [(luma: Int, blue: Int, red: Int)], bits: Int = 8) throws -> [RegisteredFrame] {
    try colours.enumerated().map { index, colour in
      let grid = PlaneGrid(scaleX: 2, scaleY: 2)
      let unit = 1 << (bits - 8)
      let luma = try Plane(width: Self.size.width, height: Self.size.height, bits: bits) { _, _ in colour.luma * unit }
      let chroma = try [colour.blue, colour.red].map { value in
        try Plane(width: Self.size.width / 2, height: Self.size.height / 2, bits: bits) { _, _ in value * unit }
      }
      let frame = Frame(
        planes: [luma] + chroma, grids: [.full, grid, grid], encoding: .yCbCr(.bt601, .full), name: "\(index)")
      return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: .reference(planes: 3))
    }
  }

  /// The values of the planes' middle samples, at 8 bits.
  private func combine(
    _ colours: [(luma: Int, blue: Int, red: Int)], _ combine: CombineOperator, bits: Int = 8,
    plan: SelectionPlan? = nil
  ) async throws -> [Int] {
    let frames = try frames(colours, bits: bits)
    let request = StackRequest(
      frames: frames, grids: frames[0].frame.grids, crop: Self.size.bounds, combine: combine, plan: plan, threads: 2)
    return try await stack(request).map { $0[$0.width / 2, $0.height / 2] >> (bits - 8) }
  }

  private static let street = [(100, 110, 140), (104, 112, 140), (200, 200, 60), (102, 114, 140), (101, 128, 128)]

  @Test(arguments: [8, 16]) func meanTakesAll(bits: Int) async throws {
    #expect(try await combine(Self.street, .mean, bits: bits) == (bits == 8 ? [121, 133, 122] : [121, 132, 121]))
  }

  @Test(arguments: [8, 16]) func extremesTakeWholeColours(bits: Int) async throws {
    #expect(try await combine(Self.street, .lighten, bits: bits) == [200, 200, 60])
    #expect(try await combine(Self.street, .darken, bits: bits) == [100, 110, 140])
  }

  @Test func modeTakesTheMostFrequentHue() async throws {
    // Three of one hue against a strong colour and a grey.
    #expect(try await combine(Self.street, .mode) == [102, 112, 140])
  }

  @Test func greysAreToldByBrightness() async throws {
    let greys = [(20, 128, 128), (200, 127, 129), (204, 130, 128), (90, 128, 128)]
    #expect(try await combine(greys, .mode)[0] == 202)
  }

  @Test func huesAreTwelveAndGreysEight() {
    #expect(CommonColour.bin(PixelColour(brightness: 128, blue: 50, red: 0)) == 0)
    #expect(CommonColour.bin(PixelColour(brightness: 128, blue: 0, red: 50)) == 2)
    #expect(CommonColour.bin(PixelColour(brightness: 128, blue: -50, red: 1)) == 5)
    #expect(CommonColour.bin(PixelColour(brightness: 128, blue: -50, red: -1)) == 6)
    #expect(CommonColour.bin(PixelColour(brightness: 128, blue: 40, red: -1)) == 11)
    #expect(CommonColour.bin(PixelColour(brightness: 255, blue: 5, red: -5)) == 19)
    #expect(CommonColour.bin(PixelColour(brightness: 0, blue: 0, red: 0)) == 12)
  }

  @Test(arguments: [8, 16]) func cleanIsTheMeanOfThoseWhoAgree(bits: Int) async throws {
    // Without a plan the noise is taken to be 2 levels: 6 levels off still agrees, 98 do not.
    #expect(try await combine(Self.street, .clean, bits: bits)[0] == (bits == 8 ? 102 : 101))
  }

  /// The noise is 2 levels; the third column of five columns of cells has other sources than the rest.
  private static func plan(
    _ sources: SourceSet, elsewhere: SourceSet = .everybody, membrane: Membrane? = nil
  ) -> SelectionPlan {
    SelectionPlan(
      cell: 8, columns: 5, rows: 3, sourceSets: [.everybody, elsewhere, sources],
      choice: (0..<15).map { $0 % 5 == 2 ? 2 : 1 }, support: Array(repeating: 1, count: 15),
      unresolved: Array(repeating: false, count: 15), compared: 5,
      noise: Array(repeating: NoiseLevel(constant: 4, slope: 0), count: 3), membrane: membrane)
  }

  private func planes(_ colours: [(luma: Int, blue: Int, red: Int)], _ plan: SelectionPlan, bits: Int = 8) async throws
    -> [Plane]
  {
    let frames = try frames(colours, bits: bits)
    return try await stack(
      StackRequest(
        frames: frames, grids: frames[0].frame.grids, crop: Region(x: 2, y: 2, width: 36, height: 16), combine: .clean,
        plan: plan, threads: 1))
  }

  @Test func cleanHearsOnlyTheSpeakers() async throws {
    let planes = try await planes(Self.street, Self.plan(SourceSet(frames: [2])))
    // The third column of cells spans luma pixels 16..<24 of the reference, 14..<22 of the crop.
    #expect((12..<24).map { planes[0][$0, 8] == 200 } == (12..<24).map { (14..<22).contains($0) })
    #expect((5..<13).map { planes[1][$0, 4] == 200 } == (5..<13).map { (7..<11).contains($0) })
  }

  /// Where photos differ in light about as much as noise explains, it must hardly show on which side of that it put them.
  @Test(arguments: [(8, nil), (8, 0), (16, 0)] as [(Int, Int?)])
  func agreementFades(bits: Int, detail: Int?) async throws {
    let detail = detail.map(RegisteredIndex.init(rawValue:))
    let plan = Self.plan(SourceSet(frames: [0, 1, 2], detailFrame: detail))
    var shown: [Int] = []
    for level in 100..<120 {
      let sample = try await planes([(100, 128, 128), (100, 128, 128), (level, 128, 128)], plan, bits: bits)[0][18, 8]
      shown.append(Int((Double(sample) / Double(1 << (bits - 8))).rounded()))
    }
    #expect(shown[3] == 101 && shown[19] == 100)
    #expect(zip(shown, shown.dropFirst()).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test func faintStepsAreJoined() async throws {
    // One column of cells is lighter by 5 levels: less than the noise explains.
    let plan = Self.plan(SourceSet(frames: [1]), elsewhere: SourceSet(frames: [0]))
    let planes = try await planes([(100, 128, 128), (105, 128, 128)], plan)
    let row = (0..<36).map { planes[0][$0, 8] }
    #expect(row[5] == 100 && row.max() == 105)
    #expect(zip(row, row.dropFirst()).allSatisfy { abs($0 - $1) <= 1 })
  }

  /// The third column of cells shows another photo, lighter by 30 levels, and a membrane that takes that away.
  @Test(arguments: [8, 16]) func membraneIsAddedToOneChoiceAndIsSmooth(bits: Int) async throws {
    func plan(_ membrane: Membrane?) -> SelectionPlan {
      Self.plan(SourceSet(frames: [1]), elsewhere: SourceSet(frames: [0]), membrane: membrane)
    }
    let share = -Float(30) / (130 + Membrane.floor)
    let light = (0..<15).map { $0 % 5 == 2 ? share : 0 }
    let membrane = Membrane(
      values: [light, Array(repeating: 0, count: 15), (0..<15).map { $0 % 5 == 2 ? -20 : 0 }],
      isLight: [true, false, false])
    let planes = try await planes([(100, 128, 128), (130, 128, 148)], plan(membrane), bits: bits)
    for plane in planes {
      let row = (0..<plane.width).map { plane[$0, plane.height / 2] >> (bits - 8) }
      #expect(row.allSatisfy { abs($0 - row[0]) <= 1 })
    }
    let without = try await self.planes([(100, 128, 128), (130, 128, 148)], plan(nil), bits: bits)
    #expect(without[0][18, 8] >> (bits - 8) == 130 && without[2][9, 4] >> (bits - 8) == 148)
  }

  @Test func membraneEndsAtBlackAndWhite() async throws {
    for share in [Float(0.5), -2] {
      let plan = Self.plan(
        SourceSet(frames: [1]), elsewhere: SourceSet(frames: [0]),
        membrane: Membrane(
          values: Array(repeating: Array(repeating: share, count: 15), count: 3), isLight: [true, true, true]))
      #expect(try await planes([(220, 220, 220), (220, 220, 220)], plan)[0][18, 8] == (share > 0 ? 255 : 0))
    }
  }

  @Test func detailFrameIsFollowedBeyondTheNoise() async throws {
    let others = Array(repeating: (112, 128, 128), count: 4)
    let leading = SourceSet(frames: nil, detailFrame: 0)
    #expect(try await planes([(100, 128, 128)] + others, Self.plan(.everybody))[0][18, 8] == 112)
    #expect(try await planes([(100, 128, 128)] + others, Self.plan(leading))[0][18, 8] == 100)
    // Within 1.65 standard deviations of the difference of two samples all count alike, within twice that less and less.
    #expect(try await planes([(108, 128, 128)] + others, Self.plan(leading))[0][18, 8] == 111)
    #expect(try await planes([(105, 128, 128)] + others, Self.plan(leading))[0][18, 8] == 110)
  }

  /// A frame that lacks some columns of a row is followed all the same where it shows the row.
  @Test func detailFrameIsFollowedAsFarAsItReaches() async throws {
    let leading = SourceSet(frames: nil, detailFrame: 0)
    var frames = try frames([(100, 128, 128)] + Array(repeating: (112, 128, 128), count: 4))
    frames[0] = RegisteredFrame(
      index: 0, frame: frames[0].frame,
      alignment: Alignment(homography: .translation(x: -3, y: 0), photometric: .identity(planes: 3)))
    let request = StackRequest(
      frames: frames, grids: frames[0].frame.grids, crop: Self.size.bounds, combine: .clean,
      plan: Self.plan(leading, elsewhere: leading), threads: 2)
    let luma = try await stack(request)[0]
    #expect(luma[18, 8] == 100 && luma[39, 8] == 112)
  }
}
