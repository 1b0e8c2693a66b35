import CleanPlate
import TestScenes
import Testing

/// Bursts some of whose frames went through a filter that takes colour away.
struct FadedFramesTests {
  private func burst(_ count: Int, isRGB: Bool = false, tint: Int = 0, isFaded: (Int) -> Bool) throws -> [Input] {
    try (0..<count).map { index in
      let photo = try Scene(seed: 21).photo(
        Size(width: 480, height: 360), camera: Scene.handheld(index), gain: 1 - 0.05 * Double(index % 3),
        name: isFaded(index) ? "faded \(index)" : "photo \(index)")
      let strength = isFaded(index) ? 0.1 : 1
      func chroma(_ plane: Int, _ x: Int, _ y: Int) -> Double {
        strength * Double(2 * (photo.planes[plane][x, y] - 128))
      }
      let planes: [Plane]
      if isRGB {
        planes = try [(0.0, 1.4), (-0.34, -0.71), (1.77, 0.0)].map { cb, cr in
          try Plane(width: 480, height: 360) { x, y in
            let light = 0.7 * Double(photo.planes[0][x, y]) + 30
            return min(max(Int(light + cb * chroma(1, x / 2, y / 2) + cr * chroma(2, x / 2, y / 2)), 0), 255)
          }
        }
      } else {
        planes =
          try [photo.planes[0]]
          + [1, 2].map { plane in
            try Plane(width: 240, height: 180) { x, y in
              128 + (isFaded(index) ? tint : 0) + Int(chroma(plane, x, y).rounded())
            }
          }
      }
      return .frame(
        isRGB
          ? Frame(planes: planes, encoding: .rgb, name: photo.name)
          : Frame(planes: planes, grids: photo.grids, encoding: photo.encoding, name: photo.name))
    }
  }

  @Test(arguments: [false, true]) func fewAreLeftOut(isRGB: Bool) async throws {
    let inputs = try burst(8, isRGB: isRGB) { $0 % 3 == 1 }
    let report = try await makePlate(from: inputs, options: Options(detector: .off)).report
    let left = report.frames.filter { !$0.accepted }
    #expect(left.map(\.index) == [1, 4, 7])
    #expect(left.allSatisfy { $0.reasonCode == "different-colours" })
    #expect(left.first?.reason?.contains("as faint as the reference's") == true)
  }

  /// One colour all over is none.
  @Test func sepiaIsLeftOut() async throws {
    let inputs = try burst(8, tint: 14) { $0 % 2 == 0 }
    let report = try await makePlate(from: inputs, options: Options(detector: .off)).report
    #expect(report.frames.filter(\.accepted).map(\.index) == [1, 3, 5, 7])
  }

  /// What grows says so while there is time for another photo.
  @Test func theLivePlateTells() async throws {
    let live = LivePlate()
    for case .frame(let frame) in try burst(5, isFaded: { $0 == 2 }) { try await live.add(frame) }
    #expect(await live.verdicts.map { $0.rejection?.code } == [nil, nil, "different-colours", nil, nil])
  }

  @Test func ofHalvesTheColouredOneIsTaken() async throws {
    let inputs = try burst(8) { $0 % 2 == 0 }
    let report = try await makePlate(from: inputs, options: Options(detector: .off)).report
    #expect(report.frames.filter(\.accepted).map(\.index) == [1, 3, 5, 7])
  }

  @Test func mostDecide() async throws {
    let inputs = try burst(8) { $0 % 4 != 2 }
    let report = try await makePlate(from: inputs, options: Options(detector: .off)).report
    #expect(report.frames.filter { !$0.accepted }.map(\.index) == [2, 6])
  }

  @Test func whoeverChoosesTheReferenceChoosesItsColours() async throws {
    let inputs = try burst(8) { $0 % 3 == 1 }
    let report = try await makePlate(from: inputs, options: Options(reference: .index(4), detector: .off)).report
    #expect(report.frames.filter(\.accepted).map(\.index) == [1, 4, 7])
  }
}
