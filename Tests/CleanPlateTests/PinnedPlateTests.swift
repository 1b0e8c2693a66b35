import CleanPlate
import Foundation
import SystemPackage
import TestScenes
import Testing

/// Plans and plates of six bursts, to the byte: what only moves code must not change them.
///
/// A change that is meant to change them prints the new digests when it fails; `GoldenTests` tells whether the new
/// plates are as good.
@Suite struct PinnedPlateTests {
  enum Burst: String, CaseIterable, Sendable {
    case plaza, linger, tripod16, walkers, many, protected

    /// FNV-1a of the plan and of the plate's samples.
    var digests: [UInt64] {
      switch self {
      case .plaza: [0xD176_9FC3_3A67_6525, 0x754B_F81A_8095_7DA7]
      case .linger: [0x8D32_9683_806D_C925, 0x4A45_C0A5_2988_3AB5]
      case .tripod16: [0x980E_E2C7_639E_414A, 0x2740_8E91_0317_FC66]
      case .walkers: [0xAD2F_E630_1AB7_5ADC, 0xB4A8_D0D7_218A_CAC4]
      case .many: [0x08DD_7BBD_EA68_E399, 0x6827_2466_6A69_00EB]
      case .protected: [0xBB1B_C93A_27DF_DB33, 0xDF55_F2A3_715F_F81C]
      }
    }

    func inputs() throws -> [Input] {
      switch self {
      case .plaza, .linger, .tripod16:
        let folder = GoldenTests.testData.appending(path: rawValue).path
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
          .map { Input.file(path: FilePath(folder).appending($0)) }
      case .walkers:
        return
          try Self.photos(9, Scene.handheld, figures: { [.init(x: 20 + 35 * Double($0), y: 120, radius: 22)] })
      case .many:
        // More than are compared with each other; somebody stays for most of them, and gains differ.
        return try Self.photos(
          27, { _ in .identity },
          figures: { index in
            let walker = Scene.Figure(x: 10 + 11 * Double(index), y: 60, radius: 18)
            return index % 8 < 5 ? [walker, .init(x: 200, y: 150, radius: 30)] : [walker]
          })
      case .protected:
        return try Self.photos(
          6, Scene.handheld,
          figures: { index in
            [.init(x: 90, y: 110, radius: 25), .init(x: 40 + 45 * Double(index), y: 170, radius: 20)]
          })
      }
    }

    func options() throws -> Options {
      switch self {
      case .plaza, .linger, .tripod16: try Options(reference: .index(0), detector: .off)
      case .walkers: try Options(reference: .index(2), detector: .off)
      case .many: try Options(align: .none, reference: .index(5), crop: .reference, detector: .off)
      case .protected:
        try Options(
          reference: .index(1), detector: .off, edits: PlateEdits([.keep(.mask(PlaceMask(Self.mask())))]), bits: 16)
      }
    }

    private static let size = Size(width: 320, height: 240)

    private static func photos(
      _ count: Int, _ camera: (Int) -> Homography, figures: (Int) -> [Scene.Figure]
    ) throws -> [Input] {
      let scene = Scene(seed: 11)
      return try (0..<count).map { index in
        .frame(
          try scene.photo(
            size, camera: camera(index), figures: figures(index), gain: 1 + 0.06 * Double(index % 3), noise: 1.5,
            noiseSeed: UInt64(index), name: "photo \(index)"))
      }
    }

    private static func mask() throws -> Frame {
      let plane = try Plane(width: size.width, height: size.height) { x, y in
        (60..<120).contains(x) && (80..<140).contains(y) ? 255 : 0
      }
      return Frame(planes: [plane], encoding: .grey(.full), name: "mask")
    }
  }

  @Test(arguments: Burst.allCases) func planAndPlateAreAsBefore(burst: Burst) async throws {
    let result = try await makePlate(from: burst.inputs(), options: burst.options())
    let plan = try #require(result.plan)
    let digests = [digest(plan), digest(result.plate)]
    #expect(digests == burst.digests, "\(digests.map { String($0, radix: 16) })")
  }

  private func digest(_ plan: SelectionPlan) -> UInt64 {
    var digest = Digest()
    for number in [plan.cell, plan.columns, plan.rows, plan.compared] { digest.add(number) }
    for index in plan.choice.indices {
      let sources = plan.sourceSets[Int(plan.choice[index])]
      digest.add(sources.frames.map { $0.reduce(1) { $0 &* 31 &+ $1.rawValue } } ?? 0)
      digest.add(sources.detailFrame?.rawValue ?? -1)
      digest.add(Int(plan.support[index]))
      digest.add(plan.unresolved[index] ? 1 : 0)
    }
    for level in plan.noise {
      digest.add(Int(bitPattern: UInt(level.constant.bitPattern)))
      digest.add(Int(bitPattern: UInt(level.slope.bitPattern)))
    }
    return digest.value
  }

  private func digest(_ frame: Frame) -> UInt64 {
    var digest = Digest()
    for plane in frame.planes {
      for y in 0..<plane.height {
        for x in 0..<plane.width { digest.add(plane[x, y]) }
      }
    }
    return digest.value
  }

  /// Fowler, Noll and Vo's hash 1a of 64 bits, of numbers instead of bytes.
  private struct Digest {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: Int) {
      value = (value ^ UInt64(bitPattern: Int64(number))) &* 0x100_0000_01B3
    }
  }
}
