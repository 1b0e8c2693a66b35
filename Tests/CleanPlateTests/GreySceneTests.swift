import CleanPlate
import Foundation
import TestScenes
import Testing

/// Bursts of a scene without colours, such as an old photo or fog, of which a camera stores one frame without any.
struct GreySceneTests {
  static let size = Size(width: 320, height: 240)

  /// - Parameters:
  ///   - tint: how much more red, and how much less blue, a frame shows for its white balance.
  ///   - walks: whether somebody in red walks through all frames but the first.
  private func burst(_ count: Int = 6, tint: (Int) -> Double, walks: Bool) throws -> [Input] {
    try (0..<count).map { index in
      let grey = try Scene(seed: 5).photo(
        Self.size, camera: Scene.handheld(index), noise: 1, noiseSeed: UInt64(index), name: "photo \(index)")
      let centre = (x: 45 * Double(index), y: 120.0)
      let channels: [(balance: Double, coat: Double)] = [(1 + tint(index), 1), (1, 0.2), (1 - tint(index), 0.25)]
      let planes = try channels.map { balance, coat in
        try Plane(width: Self.size.width, height: Self.size.height) { x, y in
          let isCoat = walks && index > 0 && hypot(Double(x) - centre.x, Double(y) - centre.y) < 48
          return min(Int((Double(grey.planes[0][x, y]) * balance * (isCoat ? coat : 1)).rounded()), 255)
        }
      }
      return .frame(Frame(planes: planes, encoding: .rgb, name: grey.name))
    }
  }

  @Test(arguments: [0, 0.02, 0.06], [false, true])
  func neitherABalanceNorAPasserByIsAnotherKind(tint: Double, walks: Bool) async throws {
    let inputs = try burst(tint: { $0 % 3 == 0 ? 0 : tint }, walks: walks)
    let options = try Options(combine: .median, reference: .index(0), detector: .off)
    let result = try await makePlate(from: inputs, options: options)
    #expect(result.report.frames.compactMap(\.reasonCode) == [])
    let planes = result.plate.planes
    let (x, y) = (result.plate.size.width / 2, result.plate.size.height / 2)
    #expect(abs(planes[0][x, y] - planes[2][x, y]) <= 3)
  }
}
