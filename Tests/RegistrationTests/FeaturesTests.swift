import Frames
import Testing

@testable import Registration

@Suite struct FeaturesOfScales {
  /// The same corners are found in a picture that is turned upside down, at any of the scales: at the places that are
  /// turned likewise.
  @Test func cornersOfAllScalesLieWhereTheyAre() throws {
    let size = Size(width: 637, height: 475)
    let texture = Scenes.textured(seed: 12)
    func features(at place: @escaping (Int, Int) -> (Int, Int)) throws -> Features {
      let plane = try Plane(width: size.width, height: size.height) { x, y in
        let (x, y) = place(x, y)
        return Int(texture(Double(x), Double(y)).rounded())
      }
      let frame = Frame(planes: [plane], grids: [.full], encoding: .grey(.full), name: "rendered")
      return try Features(Pyramid(frame, factor: 1), level: 0, maximum: 1000)
    }
    let upright = try features { ($0, $1) }
    let turned = try features { (size.width - 1 - $0, size.height - 1 - $1) }
    let errors = try upright.matches(with: turned, ratio: 0.8).map { match in
      let back = Point(x: Double(size.width - 1) - match.to.x, y: Double(size.height - 1) - match.to.y)
      return Point(match.from).distance(to: back)
    }
    #expect(errors.count >= 200)
    #expect(percentile(errors, 0.9) < 0.1)
  }
}
