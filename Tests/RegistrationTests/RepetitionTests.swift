import Frames
import Testing

@testable import Registration

@Suite struct Repetitions {
  private func repetition(of texture: @escaping Texture, from view: Homography = .identity) throws -> Repetition {
    try Registrar().prepare(Registrar().describe(Shot(view).frame(of: texture))).repetition
  }

  @Test func whatIsUniqueDoesNotRepeatItself() throws {
    let repetition = try repetition(of: Scenes.textured(seed: 21))
    #expect(!repetition.isFound)
    #expect(repetition.periods.isEmpty)
  }

  /// The windows of a façade lead onto their neighbours, in the view's own perspective.
  @Test(arguments: [turned(), turned(yaw: 9), turned(yaw: -6, pitch: 5, roll: 4)])
  func periodsLeadFromWindowToWindow(view: Homography) throws {
    let period = 40.0
    let repetition = try repetition(of: Scenes.facade(period: period, detail: 0), from: view)
    #expect(repetition.isFound)
    #expect(repetition.periods.count == 2)
    let centre = Point(x: 320, y: 240)
    for map in repetition.periods {
      let (from, to) = (view(centre), view(map(centre)))
      for distance in [(to.x - from.x) / period, (to.y - from.y) / period] {
        #expect(abs(distance - distance.rounded()) < 0.05)
      }
      #expect(map(centre).distance(to: centre) < 1.6 * period)
    }
  }

  /// Many narrow windows are no reason to miss the storeys.
  @Test func periodsLeadFromStoreyToStorey() throws {
    let facade = Scenes.facade(period: 40, detail: 0)
    let repetition = try repetition(of: { facade(2 * $0, $1 / 2) })
    let steps = repetition.periods.map { $0(Point(x: 320, y: 240)) }.map { (abs($0.x - 320), abs($0.y - 240)) }
    #expect(steps.contains { abs($0.0 - 20) < 1 && $0.1 < 1 })
    #expect(steps.contains { abs($0.1 - 80) < 2 })
  }

  @Test func aliasesReachAsFarAsIsAllowed() throws {
    let repetition = try repetition(of: Scenes.facade(period: 40, detail: 0))
    let aliases = repetition.aliases(of: .identity) { $0(Point(x: 0, y: 0)).distance(to: Point(x: 0, y: 0)) < 90 }
    // A square grid's points within 2.25 steps of one of them.
    #expect(aliases.count == 20)
    #expect(aliases.allSatisfy { $0.cornerDistance(to: .identity, size: Scenes.size) < 95 })
  }
}
