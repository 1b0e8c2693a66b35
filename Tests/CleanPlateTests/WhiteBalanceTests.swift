import CleanPlate
import Foundation
import TestScenes
import Testing

/// Bursts whose photos differ in white balance, as phones leave them that judge each by itself.
struct WhiteBalanceTests {
  private static let size = Size(width: 480, height: 360)
  /// Of red, green and blue, photo by photo: the first by daylight, the others as by lamps, so that most are off alike.
  private static let gains: [[Double]] = [
    [1, 1, 1], [1.25, 0.95, 0.72], [1.3, 1, 0.7], [1.2, 0.9, 0.7], [1.3, 0.9, 0.75], [1.25, 1, 0.7], [1.2, 0.95, 0.72],
    [1.3, 0.95, 0.7],
  ]

  private func photo(_ index: Int, isRGB: Bool) throws -> Frame {
    // A light around 100, so that nothing is clipped.
    let photo = try Scene(seed: 21).photo(
      Self.size, camera: index == 0 ? .identity : Scene.handheld(index), gain: 0.7, noise: 1, noiseSeed: UInt64(index))
    func colours(_ x: Int, _ y: Int) -> [Double] {
      let (light, cb, cr) = (
        Double(photo.planes[0][x, y]), Double(photo.planes[1][x / 2, y / 2] - 128),
        Double(photo.planes[2][x / 2, y / 2] - 128)
      )
      return zip([light + 1.402 * cr, light - 0.3441 * cb - 0.7141 * cr, light + 1.772 * cb], Self.gains[index])
        .map { min(max($0 * $1, 0), 255) }
    }
    func luma(_ c: [Double]) -> Double { 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] }
    let kinds: [([Double]) -> Double] =
      isRGB
      ? [{ $0[0] }, { $0[1] }, { $0[2] }]
      : [luma, { 128 + ($0[2] - luma($0)) / 1.772 }, { 128 + ($0[0] - luma($0)) / 1.402 }]
    return Frame(
      planes: try kinds.map { kind in
        try Plane(width: Self.size.width, height: Self.size.height) { x, y in Int(kind(colours(x, y)).rounded()) }
      },
      encoding: isRGB ? .rgb : .yCbCr(.bt601, .full), name: "photo \(index)")
  }

  @Test(arguments: [false, true]) func isNoFilterAndIsUndone(isRGB: Bool) async throws {
    let photos = try Self.gains.indices.map { try photo($0, isRGB: isRGB) }
    let options = try Options(combine: .median, reference: .index(0), detector: .off)
    let result = try await makePlate(from: photos.map { .frame($0) }, options: options)
    #expect(result.report.frames.filter { !$0.accepted }.compactMap(\.reason) == [])
    let crop = result.report.crop
    for plane in 0..<3 {
      var errors: [Int] = []
      for y in stride(from: 0, to: crop.height, by: 3) {
        for x in stride(from: 0, to: crop.width, by: 3) {
          errors.append(abs(result.plate.planes[plane][x, y] - photos[0].planes[plane][x + crop.x, y + crop.y]))
        }
      }
      let mean = Double(errors.reduce(0, +)) / Double(errors.count)
      #expect(mean < 1.5, "plane \(plane): \(mean)")
    }
    let balance = try #require(result.report.frames[1].whiteBalance)
    #expect(result.report.frames[0].whiteBalance == nil)
    for (found, gain) in zip(balance, Self.gains[1]) {
      #expect(abs(found / balance[1] - Self.gains[1][1] / gain) < 0.03)
    }
  }

  /// What a match of each plane undoes is left to it.
  @Test func isLeftAloneWhereItHardlyDiffers() async throws {
    let photos = try (0..<4).map { index in
      try Scene(seed: 21).photo(
        Self.size, camera: Scene.handheld(index), gain: 1 - 0.1 * Double(index), name: "photo \(index)")
    }
    let report = try await makePlate(from: photos.map { .frame($0) }, options: Options(detector: .off)).report
    #expect(report.frames.allSatisfy { $0.accepted && $0.whiteBalance == nil })
  }
}
