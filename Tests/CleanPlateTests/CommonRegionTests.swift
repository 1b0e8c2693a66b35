import CleanPlate
import Frames
import Synchronization
import TestScenes
import Testing

struct CommonRegionTests {
  private let size = Size(width: 320, height: 240)
  private let scene = Scene(seed: 7)

  private func inputs(shifts: [Double]) throws -> [Input] {
    try shifts.enumerated().map { index, shift in
      let camera = Homography.translation(x: shift, y: 0)
      return .frame(
        try scene.photo(size, camera: camera, noise: 1, noiseSeed: UInt64(index), name: "photo \(index)"))
    }
  }

  @Test func aFrameThatAloneCostsAThirdIsLeftOut() async throws {
    let burst = try inputs(shifts: [0, 3, -2, 4, 118])
    let common = try await makePlate(from: burst, options: Options(combine: .median, reference: .index(0)))
    #expect(common.report.frames.map(\.accepted) == [true, true, true, true, false])
    #expect(common.report.frames[4].reasonCode == "overlaps-too-little")
    #expect(common.report.crop.width > 300)
    let whole = try await makePlate(
      from: burst, options: Options(combine: .median, reference: .index(0), crop: .reference))
    #expect(whole.report.frames.allSatisfy { $0.accepted })
  }

  @Test func ofTwoFramesNoneIsLeftOutForItsCost() async throws {
    let result = try await makePlate(
      from: try inputs(shifts: [0, 118]), options: Options(combine: .median, reference: .index(0)))
    #expect(result.report.frames.allSatisfy { $0.accepted })
  }
}
