import Frames
import Testing

@testable import Selection

/// Photos of different light that meet in a plate.
@Suite struct MembraneTests {
  private static let size = Size(width: 160, height: 96)

  /// A textured wall of about 100 levels, lighter in some frames by `share`; somebody dark stands in frame 1 in columns 72..<88.
  private func made(lighter share: Float, in frames: Set<Int> = [1]) async throws -> Candidates {
    try await candidates(3, size: Self.size) { frame, x, y in
      if frame == 1, (72..<88).contains(x), (32..<64).contains(y) { return 20 }
      let wall = Float(96 + (x / 2 + y / 3) % 3 * 4)
      return Int((frames.contains(frame) ? wall + share * (wall + Membrane.floor) : wall).rounded())
    }
  }

  /// All speak and the reference's details are kept, but in columns 64..<96 of rows 16..<80.
  private func choices(_ made: Candidates, there candidate: Int, detail: Int?) -> [CellChoice] {
    (0..<made.grid.count).map { cell in
      let (x, y) = made.grid.origin(of: cell)
      let isThere = (64..<96).contains(x) && (16..<80).contains(y)
      return CellChoice(
        candidate: UInt8(isThere ? candidate : made.median), sources: nil, support: 2, isUnresolved: false,
        detail: (isThere ? detail : made.reference).map { UInt8($0) })
    }
  }

  /// Nothing was levelled, nor will be.
  private func steps(of made: Candidates) -> SeamSteps {
    let flat = Array(repeating: BlockField(pictureSize: made.size), count: made.planeCount)
    let none = ColourFields(frames: Array(repeating: nil, count: 3), median: flat)
    return SeamSteps(candidates: made, levelling: none, fields: none)
  }

  private func membrane(lighter share: Float) async throws -> (Candidates, [Float]?) {
    let made = try await made(lighter: share)
    return (made, SeamMembrane(joining: choices(made, there: 1, detail: 1), steps(of: made))?.values(plane: 0))
  }

  @Test(arguments: [0.15, -0.15] as [Float]) func lightOfAPhotoMeetsTheReferencesAtItsBorder(share: Float) async throws
  {
    let (made, found) = try await membrane(lighter: share)
    try expect(try #require(found), of: made, toTakeBack: share)
  }

  /// Phones render a sky otherwise in every photo: where some cells keep the reference's details and others cannot, what is
  /// shown in these must meet its light.
  @Test(arguments: [nil, 2] as [Int?]) func whatOthersShowTogetherMeetsTheReferencesLight(detail: Int?) async throws {
    let made = try await made(lighter: 0.12, in: [1, 2])
    let membrane = SeamMembrane(joining: choices(made, there: made.median, detail: detail), steps(of: made))
    try expect(try #require(membrane).values(plane: 0), of: made, toTakeBack: 0.12)
  }

  private func expect(_ values: [Float], of made: Candidates, toTakeBack share: Float) throws {
    let row = (0..<made.grid.columns).map { values[12 * made.grid.columns + $0] }
    // 3 levels are left to the joins: some .03 of the light.
    for column in [16, 23] { #expect(abs(row[column] * (1 + share) + share) < 0.05) }
    #expect(row[..<16].allSatisfy { $0 == 0 } && row[24...].allSatisfy { $0 == 0 })
    // It changes slowly inside.
    #expect(zip(row[16..<24], row[17..<24]).allSatisfy { abs($0 - $1) < 0.03 })
  }

  @Test func whatJoinsHideIsLeftAsItIs() async throws {
    #expect(try await membrane(lighter: 0.02).1 == nil)
  }

  @Test func differentThingsAreNotBroughtToOneLight() async throws {
    let made = try await made(lighter: 0.1)
    let steps = steps(of: made)
    let grid = made.grid
    // At his border, within him, and beside the picture's edge.
    #expect(steps.step(from: 1, to: 0, beside: grid.cell(x: 68, y: 48), .right) == nil)
    #expect(steps.step(from: 1, to: 0, beside: grid.cell(x: 76, y: 48), .right) == nil)
    #expect(steps.step(from: 1, to: 0, beside: grid.cell(x: 40, y: 95), .below) == nil)
    let wall = try #require(steps.step(from: 0, to: 1, beside: grid.cell(x: 40, y: 48), .right))
    #expect(abs(wall[0] - 0.1 * 108 / 113 + 3 / 113) < 0.01)
  }

  /// White of a photo that is brighter than the reference comes out as grey: a step to it says nothing of the light.
  @Test func nothingIsLearntFromWhatIsClipped() async throws {
    func step(clippedFrom level: Float) async throws -> [Float]? {
      let made = try await candidates(3, size: Self.size, saturations: [1: level]) { frame, _, _ in
        frame == 1 ? 200 : 215
      }
      return steps(of: made).step(from: 0, to: 1, beside: made.grid.cell(x: 40, y: 48), .right)
    }
    #expect(try await step(clippedFrom: 201) != nil)
    #expect(try await step(clippedFrom: 200) == nil)
  }

  @Test func nothingIsWhatAddsNothing() {
    let membrane = Membrane(values: [[0, 0.1, 0], [0, 0, 2]], isLight: [true, false])
    #expect((0..<3).map { Membrane.agree(membrane, nil, in: $0) } == [true, false, false])
    #expect((0..<3).allSatisfy { Membrane.agree(membrane, membrane, in: $0) && Membrane.agree(nil, nil, in: $0) })
  }

  /// What a field already brings to the reference's colours is no step.
  @Test func fieldsAreCountedIn() async throws {
    let made = try await made(lighter: 0.1)
    var levelling = BlockField(pictureSize: made.size)
    for block in levelling.values.indices { levelling.values[block] = -10.8 }
    let flat = [BlockField(pictureSize: made.size)]
    let none = ColourFields(frames: [nil, nil, nil], median: flat)
    let known = ColourFields(frames: [nil, [levelling], nil], median: flat)
    let cell = made.grid.cell(x: 40, y: 48)
    #expect(
      SeamSteps(candidates: made, levelling: none, fields: known).step(from: 0, to: 1, beside: cell, .right) == [0])
    // Candidates that were levelled already are not levelled twice.
    let steps = SeamSteps(candidates: made, levelling: known, fields: known)
    let step = try #require(steps.step(from: 0, to: 1, beside: cell, .right))
    #expect(step[0] > 0.05)
  }
}
