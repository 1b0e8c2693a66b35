import CleanPlate
import TestScenes
import Testing

/// Thin things that stand near move against the rest of the picture where the hand that holds the camera moves.
@Suite struct LampPostTests {
  static let size = Size(width: 480, height: 360)
  /// A post that is as dark all over, from some row on.
  static let post = (left: 200, width: 8, level: 35, top: 60)
  /// By photo, how far it is displaced.
  static let shifts = [0, 6, -6, 5, 7, -5, -7]

  private func burst() throws -> [Input] {
    try Self.shifts.enumerated().map { index, shift in
      let walker = Scene.Figure(x: 60 + 50 * Double(index), y: 150, radius: 14)
      let frame = try Scene(seed: 5).photo(
        Self.size, figures: index == 0 ? [] : [walker], noise: 1.5, noiseSeed: UInt64(index), name: "photo \(index)")
      let planes = try frame.planes.enumerated().map { index, plane in
        let scale = Self.size.width / plane.width
        let columns = (Self.post.left + shift) / scale..<(Self.post.left + shift + Self.post.width) / scale
        return try Plane(width: plane.width, height: plane.height) { x, y in
          guard columns.contains(x), y >= Self.post.top / scale else { return plane[x, y] }
          return index == 0 ? Self.post.level : 128
        }
      }
      return .frame(Frame(planes: planes, grids: frame.grids, encoding: frame.encoding, name: frame.name))
    }
  }

  @Test func aPostThatEveryPhotoShowsStandsWhole() async throws {
    let options = try Options(align: .none, reference: .index(0), crop: .reference, detector: .off)
    let luma = try await makePlate(from: burst(), options: options).plate.planes[0]
    let rows = Self.post.top + 4..<Self.size.height
    let whole = rows.filter { y in
      // At most a pixel at each side is resampled or smoothed.
      (Self.post.left + 1..<Self.post.left + Self.post.width - 1).allSatisfy { abs(luma[$0, y] - Self.post.level) < 20 }
    }
    #expect(whole.count == rows.count)
  }
}
