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
          saturation: candidate.saturation)
      }
      return Candidates(list: list, size: grey.size, reference: 0, hasChroma: hasChroma)
        .referenceShows(1, cell: 0, quietNoise)
    }
    #expect(try shows(true, colour: 128 + 9) && !shows(true, colour: 128 + 15))
    // Red, green and blue are all brightness.
    #expect(try !shows(false, colour: 128 + 9))
  }

  @Test func setsAreNamedOnce() throws {
    let grid = CellGrid(pictureSize: Size(width: 16, height: 4))
    let choices = try Elements([
      CellChoice(candidate: 0, sources: nil, support: 3, isUnresolved: false, keepsDetail: false),
      CellChoice(candidate: 0, sources: nil, support: 3, isUnresolved: false, keepsDetail: true),
      CellChoice(candidate: 0, sources: 0b101, support: 2, isUnresolved: true, keepsDetail: false),
      CellChoice(candidate: 0, sources: 0b101, support: 1, isUnresolved: false, keepsDetail: false),
    ])
    let compared = ComparedFrames(among: 30, reference: 29)
    let unconfirmed = Unconfirmed(mask: RegionMask(size: grid.size, isSet: [false, true, false, false]))
    let plan = SelectionPlan(
      CellDecisions(choices, unconfirmed), grid, cell: 8, compared: compared,
      noise: [NoiseLevel(constant: 1, slope: 0)],
      colourOffsets: [7: []])
    #expect(
      plan.sourceSets == [
        .everybody, SourceSet(frames: nil, detailFrame: 29), SourceSet(frames: [0, compared.positions[2]]),
      ])
    #expect(plan.choice == [0, 1, 2, 2] && plan.support == [3, 3, 2, 1])
    #expect(plan.unresolved == [false, true, true, false] && plan.compared == 24)
  }

  /// A place that one frame alone shows as it was chosen is nobody's word, unless the others do not show it.
  @Test func whatOneFrameAloneShowsIsUnconfirmed() async throws {
    let size = Size(width: 48, height: 32)
    func mask(covering columns: Range<Int32>) async throws -> [Int] {
      let made = try await candidates(
        3, size: size, coverage: { frame, _ in frame == 0 ? nil : columns },
        value: { frame, x, y in (8..<28).contains(x) && (8..<24).contains(y) ? 60 + 40 * frame : 100 })
      let grid = made.grid
      let choices = try Elements(
        (0..<grid.count).map { cell in
          let isInside = (2..<7).contains(grid.column(of: cell)) && (2..<6).contains(grid.row(of: cell))
          return CellChoice(
            candidate: 0, sources: nil, support: isInside ? 1 : 3, isUnresolved: false, keepsDetail: false)
        })
      let marked = Unconfirmed(choices, of: made, at: everyCell(of: made), nil).mask.isSet
      return marked.indices.filter { marked[$0] }
    }
    #expect(try await mask(covering: 0..<48).count == 20)
    #expect(try await mask(covering: 30..<48).isEmpty)
  }

  @Test func specklesAreNotMarked() async throws {
    let made = try await candidates(3, size: Size(width: 48, height: 32)) { frame, _, _ in 60 + 40 * frame }
    let choices = try Elements(
      (0..<made.grid.count).map { cell in
        CellChoice(candidate: 0, sources: nil, support: cell % 23 == 0 ? 1 : 3, isUnresolved: false, keepsDetail: false)
      })
    #expect(!Unconfirmed(choices, of: made, at: everyCell(of: made), nil).mask.isSet.contains(true))
  }
}
