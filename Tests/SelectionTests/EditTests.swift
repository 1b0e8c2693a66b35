import Frames
import Testing

@testable import Selection

/// What a person says about places of a burst, and what becomes of it.
@Suite struct EditTests {
  private static let size = Size(width: 320, height: 240)
  private static let place = Region(x: 140, y: 80, width: 40, height: 100)
  private static let middle = Point(x: 160, y: 130)

  /// Photos of a wall; in some of them somebody in dark stands at `place`, and everywhere somebody else walks by.
  private func plan(showing present: [Int], of count: Int = 7, _ edits: [Edit]) async throws -> SelectionPlan {
    let layers = try (0..<count).map { index in
      let passer = Region(x: 8 + 16 * index, y: 20, width: 14, height: 40)
      let luma = try Plane(width: Self.size.width, height: Self.size.height) { x, y in
        let pixel = Region(x: x, y: y, width: 1, height: 1)
        if present.contains(index), Self.place.contains(pixel) { return 30 + (x + y) % 20 }
        return passer.contains(pixel) ? 220 : 140 + (x / 16 + y / 24) % 2 * 30 + (x &* 31 &+ y &* 17 &+ index &* 7) % 5
      }
      let frame = Frame(planes: [luma], encoding: .grey(.full), name: "\(index)")
      return RegisteredFrame(index: BurstIndex(rawValue: index), frame: frame, alignment: .reference(planes: 1))
    }
    return try await Selector().plan(layers, reference: 0, size: Self.size, edits: edits, threads: 2)
  }

  private func sources(_ plan: SelectionPlan, _ x: Int, _ y: Int) -> [RegisteredIndex]? {
    plan.sourceSets[Int(plan.choice[plan.index(x: x, y: y)])].frames
  }

  private func mask(_ region: Region, size: Size = size) throws -> Place {
    let plane = try Plane(width: size.width, height: size.height) { x, y in
      region.contains(x: x, y: y) ? 255 : 0
    }
    return .mask(PlaceMask(Frame(planes: [plane], encoding: .grey(.full), name: "mask")))
  }

  @Test func pointTakesAllOfWhoeverStandsThere() async throws {
    let plan = try await plan(showing: [3], [.take(frame: 3, .point(Self.middle))])
    for x in stride(from: 142, to: 178, by: 7) {
      for y in stride(from: 82, to: 178, by: 12) { #expect(sources(plan, x, y) == [3], "(\(x), \(y))") }
    }
    #expect(sources(plan, 60, 200) == nil && sources(plan, 63, 40) == nil)
    #expect(!plan.unresolved[plan.index(x: 160, y: 130)])
  }

  @Test func pointTakesAFreePlaceFromTheOnlyFrameThatHasIt() async throws {
    let plan = try await plan(showing: [0, 1, 2, 4, 5, 6], [.take(frame: 3, .point(Self.middle))])
    #expect(sources(plan, 160, 130) == [3] && sources(plan, 144, 90) == [3])
  }

  @Test func strokeTakesWhatItWentOver() async throws {
    let stroke = Stroke(points: [Point(x: 60, y: 200), Point(x: 100, y: 200)], radius: 10)
    let plan = try await plan(showing: [], [.take(frame: 4, .stroke(stroke))])
    // All agree there, so that all who show the same speak; but nobody who does not.
    #expect(sources(plan, 80, 200)?.contains(4) == true)
    #expect(sources(plan, 80, 230) == nil)
  }

  @Test func whoeverIsPointedAtGoes() async throws {
    let keep = try mask(Self.place)
    let kept = try await plan(showing: [0, 2], [.keep(keep)])
    #expect(sources(kept, 160, 130) == [0, 2])
    let plan = try await plan(showing: [0, 2], [.keep(keep), .remove(from: 0, .point(Self.middle))])
    #expect(sources(plan, 160, 130).map { !$0.contains(0) && !$0.contains(2) } ?? false)
  }

  @Test func whoeverAMaskCoversGoesThoughMostShowHim() async throws {
    let plan = try await plan(showing: [0, 1, 2, 3, 4, 6], [.remove(from: 0, try mask(Self.place))])
    #expect(sources(plan, 160, 130) == [5] && sources(plan, 144, 90) == [5])
  }

  @Test func laterEditsHold() async throws {
    let place = try mask(Self.place)
    let plan = try await plan(showing: [0, 3], [.take(frame: 5, place), .take(frame: 3, place)])
    #expect(sources(plan, 160, 130)?.contains(3) == true && sources(plan, 160, 130)?.contains(5) == false)
  }

  @Test func whatIsAskedForAlreadyChangesNothing() async throws {
    let plain = try await plan(showing: [0], [])
    #expect(try await plan(showing: [0], [.remove(from: 0, .point(Self.middle))]) == plain)
    #expect(try await plan(showing: [0], [.take(frame: 2, .point(Self.middle))]) == plain)
  }

  @Test func saysWhatCannotBe() async throws {
    func refused(_ edit: Edit, showing present: [Int] = [0], as error: EditError) async {
      await #expect(throws: error) { try await plan(showing: present, [edit]) }
    }
    let (nowhere, small) = (Point(x: 40, y: 200), Size(width: 4, height: 4))
    let (whole, other) = (try mask(Self.place), try mask(Self.place, size: small))
    let black = try mask(Region(x: 0, y: 0, width: 0, height: 0))
    await refused(.keep(.point(nowhere)), as: .nothingDiffers(nowhere))
    await refused(.take(frame: 1, .point(nowhere)), as: .nothingDiffers(nowhere))
    let beyond = Point(x: 320, y: 10)
    await refused(.remove(from: 0, .point(beyond)), as: .outside(beyond, reference: Self.size))
    let everybody = Array(0..<7)
    await refused(.remove(from: 0, whole), showing: everybody, as: .nobodyElse)
    await refused(.keep(.stroke(Stroke(points: [], radius: 4))), as: .empty(mask: nil))
    await refused(
      .keep(other), as: .maskSize(mask: "mask", small, reference: Self.size))
    await refused(.keep(black), as: .empty(mask: "mask"))
    await refused(.remove(from: 0, black), as: .empty(mask: "mask"))
  }

  /// Nobody is taken from another frame than the one that was named.
  @Test func moreFramesThanAreComparedCannotBeNamed() async throws {
    let most = Candidates.mostFrames - 1
    func edits(_ count: Int) throws -> [Edit] {
      try (1...count).map { index in
        .take(frame: RegisteredIndex(rawValue: index), try mask(Region(x: 8 * index, y: 200, width: 8, height: 8)))
      }
    }
    let plan = try await plan(showing: [], of: most + 4, try edits(most))
    for index in 1...most {
      let sources = sources(plan, 8 * index + 4, 204)
      #expect(sources?.contains(RegisteredIndex(rawValue: index)) ?? false, "\(index)")
    }
    await #expect(throws: EditError.tooManyFrames(most: most)) {
      try await self.plan(showing: [], of: most + 4, try edits(most + 1))
    }
  }

  @Test func namedFramesAreComparedHoweverManyThereAre() {
    let many = (100..<140).map(RegisteredIndex.init(rawValue:))
    for named: [RegisteredIndex] in [[1], [1, 150, 151, 299], many] {
      let compared = ComparedFrames(among: 300, reference: 7, including: named)
      #expect(compared.positions == Set(compared.positions).sorted())
      #expect(compared.positions.count == Candidates.mostFrames && compared.positions[compared.reference] == 7)
      #expect(named.prefix(Candidates.mostFrames - 1).allSatisfy(compared.positions.contains))
    }
  }

  @Test func brushIsAsWideAsItsRadius() {
    let stroke = Stroke(points: [Point(x: 0, y: 0), Point(x: 10, y: 0)], radius: 2)
    #expect(stroke.covers(Point(x: 5, y: 2)) && !stroke.covers(Point(x: 5, y: 2.1)))
    #expect(stroke.covers(Point(x: 12, y: 0)) && !stroke.covers(Point(x: 12, y: 1)))
    let dab = Stroke(points: [Point(x: 3, y: 3)], radius: 1)
    #expect(dab.covers(Point(x: 3, y: 4)) && !dab.covers(Point(x: 4, y: 4)))
  }
}
