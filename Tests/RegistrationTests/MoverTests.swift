import CShimKernels
import Frames
import Testing

@testable import Registration

/// Parts of the reference of which is known that they move by themselves.
@Suite struct MoverTests {
  /// Most of the picture: somebody close by, who sways.
  private static let somebody = Region(x: 90, y: 60, width: 460, height: 420)
  private static let truth = Homography(1, 0, -6, 0, 1, 4, 0, 0)

  /// Who stands in front of the scene, further right and further down in one frame than in another.
  private static func mover(_ step: (x: Double, y: Double)) -> Mover {
    let clothes = Scenes.textured(seed: 3000)
    return { x, y in
      let (u, v) = (x - step.x, y - step.y)
      guard u > 100, u < 540, v > 70, v < 470 else { return nil }
      return clothes(u, v)
    }
  }

  @Test func whoSwaysLeadsNothingAway() throws {
    var (reference, shot) = (Shot(), Shot(Self.truth))
    (reference.mover, shot.mover) = (Self.mover((0, 0)), Self.mover((9, 7)))
    (reference.seed, shot.seed) = (99, 1)
    let scene = Scenes.textured(seed: 5)
    let registrar = Registrar()
    let description = try registrar.describe(reference.frame(of: scene))
    let frame = try registrar.describe(shot.frame(of: scene))
    func distance(_ reference: FrameDescription) throws -> Double {
      let placed = try registrar.place(frame, planes: 1, on: registrar.prepare(reference))
      let alignment = try #require(placed.outcome.value)
      return alignment.homography.cornerDistance(to: Self.truth, size: Scenes.size)
    }
    #expect(try distance(description) > 5)
    #expect(try distance(description.without([Self.somebody])) < 0.3)
  }

  /// Somebody who shifts his weight before a plain sky, which a mesh follows with all that lies around him.
  private struct BeforeTheSky {
    static let figure = Region(x: 470, y: 90, width: 110, height: 160)
    static let beside = [Point(x: 455, y: 170), Point(x: 595, y: 170), Point(x: 525, y: 270)]
    static let ground = [Point(x: 100, y: 250), Point(x: 180, y: 400), Point(x: 300, y: 330)]
    /// The ground bends, so that there is something for a mesh to follow.
    static let truth: @Sendable (Point) -> Point = { Point(x: $0.x + 2 * ($0.y / 480) * ($0.y / 480), y: $0.y) }

    /// - Parameters:
    ///   - step: how far he has moved.
    ///   - truth: where a frame's pixels are in the reference.
    static func frame(
      _ step: (x: Double, y: Double), seed: UInt64, truth: @escaping @Sendable (Point) -> Point = Self.truth
    ) throws -> FrameDescription {
      let clothes = Scenes.textured(seed: 3000)
      var shot = step == (0, 0) ? Shot() : Shot(place: truth)
      shot.seed = seed
      shot.mover = { x, y in
        let (u, v) = (x - step.x, y - step.y)
        return figure.contains(x: Int(u), y: Int(v)) ? clothes(u, v) : nil
      }
      return try Registrar().describe(shot.frame(of: Scenes.sky(textureWithin: 260, of: Point(x: 180, y: 300))))
    }

    /// Pixels by which a point of the reference is off.
    static func error(_ alignment: Alignment, _ p: Point) throws -> Double {
      let back: Homography = try #require(alignment.homography.inverse)
      let there = back(p.displaced(by: alignment.mesh))
      return truth(there).distance(to: p)
    }
  }

  @Test func noMeshFollowsThemOnceTheyAreSeen() throws {
    let registrar = Registrar()
    let prepared = try registrar.prepare(BeforeTheSky.frame((0, 0), seed: 99))
    let frame = try BeforeTheSky.frame((3.5, 1.5), seed: 1)
    let placed = try registrar.place(frame, planes: 1, on: prepared)
    let figure = BeforeTheSky.figure
    let followed = try #require(placed.outcome.value)
    for p in BeforeTheSky.beside { #expect(try BeforeTheSky.error(followed, p) > 2) }
    #expect(!placed.movingCorners.isEmpty)
    #expect(placed.movingCorners.allSatisfy { figure.contains(x: Int($0.x), y: Int($0.y)) })

    let elsewhere = Region(x: 0, y: 0, width: 100, height: 100)
    #expect(registrar.keepStill(frame, placed, on: prepared, beside: [elsewhere]) == nil)
    let still = try #require(registrar.keepStill(frame, placed, on: prepared, beside: [figure])?.value)
    for p in BeforeTheSky.beside { #expect(try BeforeTheSky.error(still, p) < 0.5) }
    for p in BeforeTheSky.ground { #expect(try BeforeTheSky.error(still, p) < 0.15) }
  }

  /// Where other frames tell how one lies its mesh may have followed somebody as well.
  @Test func norWhereOthersTellHowTheFrameLies() throws {
    let registrar = Registrar()
    let reference = try BeforeTheSky.frame((0, 0), seed: 99)
    let prepared = try registrar.prepare(reference)
    let (frame, other) = (try BeforeTheSky.frame((3.5, 1.5), seed: 1), try BeforeTheSky.frame((-3, 1), seed: 2))
    var wrong = Alignment.reference(planes: 1)
    wrong.homography = .translation(x: 60, y: 0)
    let doubted = PlacedFrame(
      outcome: .accepted(wrong), candidates: [wrong.homography, .identity], isDoubtful: true, support: 0.2)
    let trusted = PlacedFrame(
      outcome: try registrar.place(other, planes: 1, on: prepared).outcome, candidates: [], isDoubtful: false,
      support: 0.6)
    let settled = try registrar.settle(
      2, among: [.reference(planes: 1), trusted, doubted], of: [reference, other, frame], on: prepared)
    #expect(settled.outcome.value?.homography == wrong.homography)
    let followed = try #require(settled.settled.value)
    for p in BeforeTheSky.beside { #expect(try BeforeTheSky.error(followed, p) > 2) }
    for p in BeforeTheSky.ground { #expect(try BeforeTheSky.error(followed, p) < 0.5) }
    let still = try #require(
      registrar.keepStill(frame, settled, on: prepared, beside: [BeforeTheSky.figure])?.value)
    for p in BeforeTheSky.beside { #expect(try BeforeTheSky.error(still, p) < 0.5) }
  }

  /// Where the other picture on which a frame is placed shows them, too.
  @Test func norOnAPictureInWhichTheyStandAsWell() throws {
    let registrar = Registrar()
    let prepared = try registrar.prepare(BeforeTheSky.frame((0, 0), seed: 99))
    let frame = try BeforeTheSky.frame((3.5, 1.5), seed: 1)
    let unseen = try #require(try registrar.place(frame, planes: 1, on: prepared, beside: []).outcome.value)
    for p in BeforeTheSky.beside { #expect(try BeforeTheSky.error(unseen, p) > 2) }
    let seen = try registrar.place(frame, planes: 1, on: prepared, beside: [BeforeTheSky.figure])
    let still = try #require(seen.outcome.value)
    for p in BeforeTheSky.beside { #expect(try BeforeTheSky.error(still, p) < 0.5) }
    for p in BeforeTheSky.ground { #expect(try BeforeTheSky.error(still, p) < 0.15) }
  }

  /// The scene lies as one homography says, so that there is nothing to follow but them.
  @Test func noMeshFollowsAnybodyWhereAHomographyFitsTheRest() throws {
    let registrar = Registrar()
    let prepared = try registrar.prepare(BeforeTheSky.frame((0, 0), seed: 99))
    let frame = try BeforeTheSky.frame((3.5, 1.5), seed: 1, truth: { Point(x: $0.x + 7, y: $0.y - 4) })
    let alignment = try #require(try registrar.place(frame, planes: 1, on: prepared).outcome.value)
    #expect(alignment.mesh == nil)
    #expect(alignment.homography.cornerDistance(to: .translation(x: 7, y: -4), size: Scenes.size) < 0.3)
  }

  @Test func noCornerLiesOnThem() throws {
    let registrar = Registrar()
    let description = try registrar.describe(Shot().frame(of: Scenes.textured(seed: 5)))
    let (all, some) = (
      try registrar.prepare(description), try registrar.prepare(description.without([Self.somebody]))
    )
    func isOnThem(_ corner: cs_point) -> Bool {
      let p = description.toFull(Point(corner))
      return Self.somebody.contains(x: Int(p.x), y: Int(p.y))
    }
    #expect(all.corners.contains(where: isOnThem))
    #expect(!some.corners.contains(where: isOnThem) && some.corners.count > 100)
    // Others take the places of those that do not count.
    #expect(some.corners.count > all.corners.count { !isOnThem($0) })
  }

  @Test func emptyPartsChangeNothing() throws {
    let registrar = Registrar()
    let description = try registrar.describe(Shot().frame(of: Scenes.textured(seed: 5)))
    let (all, same) = (try registrar.prepare(description), try registrar.prepare(description.without([])))
    #expect(all.corners.map(Point.init) == same.corners.map(Point.init))
  }
}
