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

  /// Nobody but who made a frame could make sure of its samples.
  @Test func aFrameWithSamplesBeyondItsDepthIsLeftOut() async throws {
    var burst = try inputs(shifts: [0, 3, -2, 4]).map { input in
      guard case .frame(let frame) = input else { return input }
      return .frame(try deepened(frame) { $0 })
    }
    guard case .frame(let frame) = burst[2] else { return }
    burst[2] = .frame(try deepened(frame) { $0 < 600 ? $0 : 65_535 })
    let result = try await makePlate(from: burst, options: Options(reference: .index(0), detector: .off))
    #expect(result.report.frames.map(\.accepted) == [true, true, false, true])
    #expect(result.report.frames[2].reason?.contains("a sample is 65535, more than 10 bits hold") ?? false)
    let arriving = AsyncStream { camera in
      for case .frame(let frame) in burst { camera.yield(frame) }
      camera.finish()
    }
    let streamed = try await makePlate(from: arriving, options: Options(reference: .index(0), detector: .off))
    #expect(streamed.report.frames == result.report.frames && streamed.plate.planes == result.plate.planes)
    let live = LivePlate(threads: 2)
    guard case .frame(let damaged) = burst[2] else { return }
    await #expect(throws: CodecError.self) { try await live.add(damaged) }
  }

  /// A frame of 8 bits at 10.
  private func deepened(_ frame: Frame, _ sample: (Int) -> Int) throws -> Frame {
    let planes = try frame.planes.map { plane in
      let builder = try PlaneBuilder(width: plane.width, height: plane.height, bits: 10)
      for y in 0..<plane.height {
        let row = builder.row(y, as: UInt16.self)
        for x in 0..<plane.width { row[x] = UInt16(sample(4 * plane[x, y])) }
      }
      return builder.finish()
    }
    return Frame(planes: planes, grids: frame.grids, encoding: frame.encoding, name: frame.name)
  }

  @Test func ofTwoFramesNoneIsLeftOutForItsCost() async throws {
    let result = try await makePlate(
      from: try inputs(shifts: [0, 118]), options: Options(combine: .median, reference: .index(0)))
    #expect(result.report.frames.allSatisfy { $0.accepted })
  }
}
