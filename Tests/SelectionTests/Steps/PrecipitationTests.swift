import Frames
import Testing

@testable import Selection

/// Streaks of rain before a wall, of which every frame shows others.
@Suite struct PrecipitationTests {
  private static let size = Size(width: 240, height: 192)
  private static let streak = Size(width: 1, height: 9)

  /// Where a frame's streaks begin, all over the picture.
  private static func streaks(of frame: Int) -> [(x: Int, y: Int)] {
    (0..<120).map { ((37 * $0 + 53 * frame + $0 * $0 / 7) % 238, (59 * $0 + 29 * frame) % 180) }
  }

  /// Those that the picture's rim does not cut.
  private static func innerStreaks(of frame: Int) -> [(x: Int, y: Int)] {
    streaks(of: frame).filter { (4..<236).contains($0.x) && $0.y > 4 }
  }

  /// What a frame shows, row by row.
  /// - Parameters:
  ///   - columns: where it rains.
  ///   - wet: a streak's shade before a wall of 100, from which a mean over 3x3 pixels hardly tells it.
  private static func shades(of frame: Int, rainOn columns: Range<Int> = 0..<size.width, wet: Int) -> [Int] {
    var shades = [Int](repeating: 100, count: size.width * size.height)
    for (left, top) in streaks(of: frame) where columns.contains(left) {
      for y in top..<top + streak.height { shades[y * size.width + left] = wet }
    }
    return shades
  }

  private func rain(on columns: Range<Int> = 0..<size.width, frames: Int = 7) async throws -> Candidates {
    let shades = (0..<frames).map { Self.shades(of: $0, rainOn: columns, wet: 116) }
    return try await candidates(frames, size: Self.size) { shades[$0][$2 * Self.size.width + $1] }
  }

  private func precipitation(in made: Candidates) async throws -> Precipitation? {
    Precipitation(of: made, quietNoise, try await findDepartures(of: made, quietNoise, threads: 2))
  }

  /// The cells at a frame's streaks, but for the picture's rim.
  private func cells(ofStreaksIn frame: Int, _ grid: CellGrid) -> Set<Int> {
    Set(Self.innerStreaks(of: frame).map { grid.cell(x: $0.x, y: $0.y + 4) })
  }

  @Test func streaksAreWhatOneFrameShows() async throws {
    let made = try await rain()
    let precipitation = try #require(try await precipitation(in: made))
    let shown = (0..<made.grid.count).filter { precipitation.isShown(by: 2, in: $0) }
    #expect(cells(ofStreaksIn: 2, made.grid).isSubset(of: shown))
    // A streak is longer than two cells, and not as long as four.
    #expect(shown.count < 4 * Self.streaks(of: 2).count)
  }

  /// Twigs in the wind depart as streaks do, but not all over the picture.
  @Test func itRainsAllOverThePictureOrNot() async throws {
    #expect(try await precipitation(in: rain(on: 0..<150)) == nil)
  }

  @Test func threeFramesAreTooFewToTell() async throws {
    #expect(try await precipitation(in: rain(frames: 3)) == nil)
  }

  /// Where nothing stands still, a frame's own details are kept; where it rains, the others are right.
  @Test func noStreakIsKeptAsADetail() async throws {
    let made = try await rain()
    let dry = try Elements(
      (0..<made.grid.count).map { _ in
        CellChoice(candidate: UInt8(made.median), sources: nil, support: 7, isUnresolved: false, detail: nil)
      })
    func leading(_ precipitation: Precipitation?) async throws -> Int {
      let added = try await DetailFrames(
        candidates: made, noise: quietNoise, detections: nil, precipitation: precipitation
      ).added(to: dry, reusing: nil, threads: 2)
      return cells(ofStreaksIn: 0, made.grid).count { added[$0].detail == 0 }
    }
    #expect(try await leading(nil) > 0)
    #expect(try await leading(precipitation(in: made)) == 0)
  }

  /// Flakes of three frames hide the edges of a fence, which six show.
  @Test func edgesThatFlakesHideTellNothingAgainstMost() async throws {
    let shades = (0..<9).map { Self.shades(of: $0, wet: 116) }
    let fence = Region(x: 92, y: 60, width: 64, height: 64)
    let flake = Region(x: 108, y: 74, width: 8, height: 28)
    let made = try await candidates(9, size: Self.size) { frame, x, y in
      guard fence.contains(x: x, y: y) else { return shades[frame][y * Self.size.width + x] }
      return (4...6).contains(frame) && flake.contains(x: x, y: y) ? 90 : 30 + x / 3 % 2 * 120
    }
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    func costs(_ precipitation: Precipitation?) async throws -> [Int32] {
      let companions = Companions(candidates: made, agreement: agreement, precipitation: precipitation)
      let costs = try await CandidateCosts(of: companions, borders, threads: 2).costs
      return made.grid.cells(within: 6, of: made.grid.cell(x: 112, y: 88)).map { costs[$0 * made.count].borders }
    }
    #expect(try await costs(nil).contains { $0 > 0 })
    let falling = try #require(try await precipitation(in: made))
    #expect(try await costs(falling).allSatisfy { $0 == 0 })
  }

  /// The whole way from frames to a plan.
  @Test func theReferenceDoesNotLeadWhereItShowsAStreak() async throws {
    let frames = try (0..<7).map { frame in
      let shades = Self.shades(of: frame, wet: 112)
      let luma = try Plane(width: Self.size.width, height: Self.size.height) { shades[$1 * Self.size.width + $0] }
      return RegisteredFrame(
        index: BurstIndex(rawValue: frame),
        frame: Frame(planes: [luma], grids: [.full], encoding: .grey(.full), name: "\(frame)"),
        alignment: Alignment.reference(planes: 1))
    }
    let plan = try await Selector().plan(frames, reference: 0, size: Self.size, threads: 2)
    func leads(_ x: Int, _ y: Int) -> Bool {
      plan.sourceSets[Int(plan.choice[plan.index(x: x, y: y)])].detailFrame == 0
    }
    #expect(Self.innerStreaks(of: 0).count { leads($0.x, $0.y + 4) } == 0)
    #expect(
      (0..<plan.choice.count).count { plan.sourceSets[Int(plan.choice[$0])].detailFrame == 0 } > plan.choice.count / 2)
  }
}
