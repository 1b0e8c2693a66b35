import Frames
import Testing

@testable import Selection

/// Bursts of a wall with known passers-by: what the plan says of them.
@Suite struct SelectorTests {
  static let size = Size(width: 320, height: 240)

  /// A wall of smooth and rough parts with light noise, and figures at places, by frame.
  /// - Parameter aside: by how many pixels all frames but the first lie further to the right.
  private func burst(_ figures: [[Region]], aside: Int = 0) throws -> [RegisteredFrame] {
    try figures.enumerated().map { index, figures in
      let shift = index == 0 ? 0 : aside
      let luma = try Plane(width: Self.size.width, height: Self.size.height) { column, y in
        let x = column + shift
        if let figure = figures.first(where: { $0.contains(x: x, y: y) }) {
          return 30 + (x + y - figure.x - figure.y) % 20
        }
        return 140 + (x / 16 + y / 24) % 2 * 30 + noise(x, y, index)
      }
      let chroma = try Plane(width: Self.size.width / 2, height: Self.size.height / 2) { _, _ in 128 }
      let grid = PlaneGrid(scaleX: 2, scaleY: 2)
      let frame = Frame(
        planes: [luma, chroma, chroma], grids: [.full, grid, grid], encoding: .yCbCr(.bt601, .full), name: "\(index)")
      var alignment = Alignment.reference(planes: 3)
      if shift > 0 { alignment.homography = Homography(1, 0, Double(shift), 0, 1, 0, 0, 0) }
      return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: alignment)
    }
  }

  /// -2...2, without any pattern.
  private func noise(_ x: Int, _ y: Int, _ frame: Int) -> Int {
    var z = UInt64(x) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(y) &* 0xC2B2_AE3D_27D4_EB4F ^ UInt64(frame + 1) &* 0x1656_67B1
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return Int((z ^ (z >> 27)) >> 40 % 5) - 2
  }

  private static let place = Region(x: 140, y: 80, width: 40, height: 100)

  /// Who may speak in the middle of `place`; nil is everybody.
  private func sources(_ plan: SelectionPlan) -> [RegisteredIndex]? {
    plan.sourceSets[Int(plan.choice[plan.index(x: 160, y: 130)])].frames
  }

  @Test func everybodySpeaksWhereNobodyStands() async throws {
    let plan = try await Selector().plan(
      burst(Array(repeating: [], count: 5)), reference: 0, size: Self.size, threads: 2)
    #expect(plan.sourceSets.allSatisfy { $0.frames == nil })
    #expect(plan.support.allSatisfy { $0 == 5 })
    #expect(!plan.unresolved.contains(true))
  }

  @Test func referenceLeadsWhereItShowsTheSame() async throws {
    let plan = try await Selector().plan(
      burst([[Self.place], [], [], [], [], [], []]), reference: 0, size: Self.size, threads: 2)
    func detailFrame(_ x: Int, _ y: Int) -> RegisteredIndex? {
      plan.sourceSets[Int(plan.choice[plan.index(x: x, y: y)])].detailFrame
    }
    #expect(detailFrame(60, 60) == 0 && detailFrame(160, 130) != 0)
  }

  @Test func passerByIsLeftToTheMedian() async throws {
    let figures = (0..<9).map { [Region(x: 20 + 32 * $0, y: 80, width: 24, height: 100)] }
    let plan = try await Selector().plan(burst(figures), reference: 0, size: Self.size, threads: 2)
    #expect(sources(plan) == nil)
  }

  @Test(arguments: [[0, 1, 2, 4, 7], [0, 2, 3, 5, 6, 8]])
  func lingererInMostFramesIsOutvotedByTheWall(present: [Int]) async throws {
    let plan = try await Selector().plan(
      burst((0..<9).map { present.contains($0) ? [Self.place] : [] }), reference: 0, size: Self.size, threads: 2)
    let free = (0..<9).filter { !present.contains($0) }
    #expect(sources(plan) == free.map(RegisteredIndex.init(rawValue:)))
    #expect(plan.support[plan.index(x: 160, y: 130)] == free.count)
  }

  /// However large he is, and however many frames show him: two show what is behind.
  @Test(arguments: [SelectorTests.place, Region(x: 90, y: 20, width: 150, height: 200)])
  func whoStaysInNearlyAllFramesGoes(place: Region) async throws {
    let free = [3, 8]
    let plan = try await Selector().plan(
      burst((0..<14).map { free.contains($0) ? [] : [place] }), reference: 0, size: Self.size, threads: 2)
    #expect(sources(plan) == free.map(RegisteredIndex.init(rawValue:)))
    #expect(!plan.unresolved.contains(true))
  }

  @Test func twoOfThreeThatAgreeShowTheWall() async throws {
    let plan = try await Selector().plan(burst([[], [Self.place], []]), reference: 0, size: Self.size, threads: 2)
    let speaking = sources(plan) ?? [0, 2]
    #expect(speaking == [0, 2])
  }

  @Test func whatIsProtectedComesFromTheReference() async throws {
    let layers = try burst((0..<7).map { $0 == 3 ? [Self.place] : [] })
    let mask = try Plane(width: Self.size.width, height: Self.size.height) { x, y in
      Self.place.contains(x: x, y: y) ? 255 : 0
    }
    let frame = Frame(planes: [mask], encoding: .grey(.full), name: "mask")
    let plan = try await Selector().plan(
      layers, reference: 3, size: Self.size, edits: [.keep(.mask(PlaceMask(frame)))], threads: 2)
    #expect(sources(plan) == [3])
  }

  @Test func maskMustFitTheReference() async throws {
    let layers = try burst([[], []])
    let frame = Frame(
      planes: [try Plane(width: 4, height: 4) { _, _ in 255 }], encoding: .grey(.full), name: "mask")
    await #expect(throws: EditError.maskSize(mask: "mask", Size(width: 4, height: 4), reference: Self.size)) {
      try await Selector().plan(
        layers, reference: 0, size: Self.size, edits: [.keep(.mask(PlaceMask(frame)))], threads: 1)
    }
  }

  /// A few columns of somebody at the rim are less to be seen than all of him.
  @Test(arguments: [2, 7]) func nobodyStaysForASliverOfHim(columns: Int) async throws {
    let somebody = Region(x: 0, y: 60, width: 72, height: 120)
    let frames = try burst((0..<8).map { $0 == 0 ? [somebody] : [] }, aside: columns)
    let plan = try await Selector().plan(
      frames, reference: 0, size: Self.size, crop: Self.size.bounds, threads: 2)
    for x in stride(from: columns + 8, to: 72, by: 4) {
      #expect(plan.sourceSets[Int(plan.choice[plan.index(x: x, y: 130)])].frames == nil)
    }
  }

  /// The reference alone shows the left rim, and somebody there: his other half does not go.
  @Test func whoIsCutOffAtTheRimStaysWhole() async throws {
    let somebody = Region(x: 0, y: 60, width: 44, height: 120)
    let frames = try burst((0..<8).map { $0 == 0 ? [somebody] : [] }, aside: 12)
    func sources(_ plan: SelectionPlan, x: Int) -> [RegisteredIndex]? {
      plan.sourceSets[Int(plan.choice[plan.index(x: x, y: 130)])].frames
    }
    let whole = try await Selector().plan(
      frames, reference: 0, size: Self.size, crop: Self.size.bounds, threads: 2)
    for x in stride(from: 16, to: 44, by: 4) { #expect(sources(whole, x: x) == [0]) }
    #expect(sources(whole, x: 60) == nil)
    // Where the plate ends before, nobody sees that he is cut off.
    let others = try await Selector().plan(
      frames, reference: 0, size: Self.size, crop: Region(x: 12, y: 0, width: 308, height: 240), threads: 2)
    let unasked = try await Selector().plan(frames, reference: 0, size: Self.size, threads: 2)
    for plan in [others, unasked] {
      for x in stride(from: 20, to: 60, by: 4) { #expect(sources(plan, x: x) == nil) }
    }
  }

  /// Leaves on dark ground, which four of ten photos show so bright that their green is clipped, and with it what is drawn on them.
  @Test func leavesThatSomePhotosClipAreFree() async throws {
    let exposures = [1, 2, 3, 1, 1, 3, 1.4, 1, 1, 1]
    let frames = try exposures.enumerated().map { index, exposure in
      let pixels = (0..<Self.size.area).map { place in
        let (x, y) = (place % Self.size.width, place / Self.size.width)
        let (u, v) = (Double(x % 40 - 20), Double(y % 36 - 18))
        let shade = 0.55 + 0.225 * Double((x / 2 + y / 3) % 3)
        let colour = u * u + v * v < 200 ? [110, 190, 70].map { shade * $0 } : [24, 22, 18]
        let light = Double(noise(x, y, index))
        return colour.map { min(max(exposure * $0 + light, 0), 255) }
      }.map { yCbCr($0[0], $0[1], $0[2]) }
      let planes = try (0..<3).map { plane in
        try Plane(width: Self.size.width, height: Self.size.height) { pixels[$1 * Self.size.width + $0][plane] }
      }
      let frame = Frame(
        planes: planes, grids: [.full, .full, .full], encoding: .yCbCr(.bt601, .full), name: "\(index)")
      var alignment = Alignment.reference(planes: 3)
      for plane in 0..<3 {
        alignment.photometric.channels[plane].gain = 1 / exposure
        if plane > 0 { alignment.photometric.channels[plane].pivot = 128 }
      }
      return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: alignment)
    }
    let plan = try await Selector().plan(frames, reference: 0, size: Self.size, threads: 2)
    #expect(!plan.unresolved.contains(true))
  }

  @Test func planDoesNotDependOnThreads() async throws {
    let layers = try burst((0..<8).map { $0 % 3 == 0 ? [] : [Region(x: 60 + 9 * $0, y: 60, width: 50, height: 110)] })
    let one = try await Selector().plan(layers, reference: 0, size: Self.size, threads: 1)
    #expect(try await Selector().plan(layers, reference: 0, size: Self.size, threads: 3) == one)
  }

  @Test func noiseIsMeasured() async throws {
    let plan = try await Selector().plan(
      burst(Array(repeating: [], count: 9)), reference: 0, size: Self.size, threads: 2)
    // Five equally likely values: the variance is 2.
    #expect((0.8...2.2).contains(plan.noise[0].standardDeviation(at: 150)))
  }

  @Test func manyFramesAreComparedByEvenlySpreadOnes() {
    #expect(ComparedFrames(among: 5, reference: 0).positions == [0, 1, 2, 3, 4])
    let chosen = ComparedFrames(among: 300, reference: 7).positions
    #expect(chosen.count == 24 && chosen.first == 0 && chosen.last == 299 && chosen.contains(7))
    #expect(Set(chosen).count == 24 && chosen == chosen.sorted())
  }
}
