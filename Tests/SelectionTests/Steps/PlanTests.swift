import Frames
import Testing

@testable import Selection

/// What becomes of the choice of candidates.
@Suite struct PlanTests {
  @Test func referenceKeepsItsDetailWhereItShowsTheSame() async throws {
    // Frame 1 is the reference; a faint shadow lies on its right half.
    let made = try await candidates(3, reference: 1) { frame, x, _ in frame == 1 && x >= 12 ? 90 : 100 + frame % 2 }
    #expect(made.referenceShows(0, cell: 0, quietNoise))
    #expect(!made.referenceShows(0, cell: 4, quietNoise))
    // One pixel around the cell counts, too.
    #expect(!made.referenceShows(0, cell: 2, quietNoise))
    let cut = try await candidates(
      2, coverage: { frame, _ in frame == 0 ? 6..<24 : nil }, value: { _, _, _ in 100 })
    #expect(!cut.referenceShows(1, cell: 1, quietNoise) && cut.referenceShows(1, cell: 2, quietNoise))
  }

  @Test func colourOfTheReferenceMayDifferMoreThanItsBrightness() async throws {
    let grey = try await candidates(3) { _, _, _ in 100 }
    func shows(_ hasChroma: Bool, colour: Int) throws -> Bool {
      let list = try grey.list.enumerated().map { index, candidate in
        let flat = try Plane(width: grey.size.width, height: grey.size.height) { _, _ in index == 0 ? colour : 128 }
        return Candidate(
          planes: candidate.planes + [flat, flat], gradient: candidate.gradient, coverage: candidate.coverage,
          clipped: candidate.clipped)
      }
      return Candidates(list: list, size: grey.size, reference: 0, chroma: hasChroma ? jpegChroma : nil)
        .referenceShows(1, cell: 0, quietNoise)
    }
    #expect(try shows(true, colour: 128 + 9) && !shows(true, colour: 128 + 15))
    // Red, green and blue are all brightness.
    #expect(try !shows(false, colour: 128 + 9))
  }

  @Test func setsAreNamedOnce() throws {
    let grid = CellGrid(pictureSize: Size(width: 16, height: 4))
    let choices = try Elements([
      CellChoice(candidate: 0, sources: nil, support: 3, isUnresolved: false, detail: nil),
      CellChoice(candidate: 0, sources: nil, support: 3, isUnresolved: false, detail: UInt8(23)),
      CellChoice(candidate: 0, sources: 0b101, support: 2, isUnresolved: true, detail: nil),
      CellChoice(candidate: 0, sources: 0b101, support: 1, isUnresolved: false, detail: nil),
    ])
    let compared = ComparedFrames(among: 30, reference: 29)
    let unconfirmed = Unconfirmed(mask: RegionMask(size: grid.size, isSet: [false, true, false, false]))
    let plan = SelectionPlan(
      CellDecisions(choices, unconfirmed), grid, cell: 8, compared: compared,
      noise: [NoiseLevel(constant: 1, slope: 0)], enlargedErrors: [2: 3],
      colourOffsets: [7: []])
    #expect(
      plan.sourceSets == [
        .everybody, SourceSet(frames: nil, detailFrame: 29), SourceSet(frames: [0, compared.positions[2]]),
      ])
    #expect(plan.choice == [0, 1, 2, 2] && plan.support == [3, 3, 2, 1])
    #expect(plan.unresolved == [false, true, true, false] && plan.compared == 24)
  }

  private func unconfirmed(
    _ made: Candidates, candidate: UInt8 = 0, support: (_ column: Int, _ row: Int) -> UInt8
  ) async throws -> [Int] {
    let grid = made.grid
    let choices = try Elements(
      (0..<grid.count).map { cell in
        CellChoice(
          candidate: candidate, sources: nil, support: support(grid.column(of: cell), grid.row(of: cell)),
          isUnresolved: false, detail: nil)
      })
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let marked = try await Unconfirmed(
      choices, of: Companions(candidates: made, agreement: agreement), nil, threads: 2
    ).mask.isSet
    return marked.indices.filter { marked[$0] }
  }

  /// A place that one frame alone shows as it was chosen is nobody's word, unless the others do not show it.
  @Test func whatOneFrameAloneShowsIsUnconfirmed() async throws {
    let size = Size(width: 48, height: 32)
    func marked(covering columns: Range<Int32>) async throws -> [Int] {
      let made = try await candidates(
        3, size: size, coverage: { frame, _ in frame == 0 ? nil : columns },
        value: { frame, x, y in (8..<28).contains(x) && (8..<24).contains(y) ? 60 + 40 * frame : 100 })
      return try await unconfirmed(made) { (2..<7).contains($0) && (2..<6).contains($1) ? 1 : 3 }
    }
    #expect(try await marked(covering: 0..<48).count == 20)
    #expect(try await marked(covering: 30..<48).isEmpty)
  }

  /// Noise at an edge makes a cell differ, and a few in which only some pixel does.
  @Test func specklesAreNotMarked() async throws {
    let made = try await candidates(3, size: Size(width: 48, height: 32)) { frame, x, y in
      y / 4 == 3 && x / 4 % 4 == 1 ? 60 + 40 * frame : 100
    }
    #expect(try await unconfirmed(made) { $0 % 4 == 1 && $1 == 3 ? 1 : 3 }.isEmpty)
    let alike = try await candidates(3, size: Size(width: 48, height: 32)) { _, _, _ in 100 }
    #expect(try await unconfirmed(alike) { column, row in row == 3 && column < 6 ? 1 : 3 }.isEmpty)
  }

  /// Where those who show a place contradict what was chosen, a few cells are enough, also at the rim, where frames end.
  @Test(arguments: [0, 2]) func whatOthersContradictIsUnconfirmed(start: Int32) async throws {
    let made = try await candidates(
      4, size: Size(width: 48, height: 32), coverage: { frame, _ in frame == 0 ? nil : start..<48 },
      value: { frame, x, y in x < 4 && (8..<20).contains(y) ? 40 + 40 * frame : 100 })
    #expect(try await unconfirmed(made) { _, _ in 2 } == [24, 36, 48])
    // Of two frames that differ, nobody knows which one is right.
    let two = try await candidates(2, size: Size(width: 48, height: 32)) { frame, x, _ in
      x < 4 ? 40 + 40 * frame : 100
    }
    #expect(try await unconfirmed(two) { _, _ in 2 }.isEmpty)
  }

  @Test func aMedianThatNobodyShowsIsUnconfirmed() async throws {
    let made = try await candidates(4, size: Size(width: 48, height: 32)) { _, _, _ in 100 }
    let median = UInt8(made.median)
    #expect(try await unconfirmed(made, candidate: median) { $1 == 3 && (4..<7).contains($0) ? 0 : 4 } == [40, 41, 42])
    #expect(try await unconfirmed(made, candidate: median) { $1 == 3 && (4..<7).contains($0) ? 1 : 4 }.isEmpty)
    #expect(try await unconfirmed(made, candidate: median) { $1 == 3 && (4..<6).contains($0) ? 0 : 4 }.isEmpty)
  }
}
