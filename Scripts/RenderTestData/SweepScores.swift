import CleanPlate
import Codecs
import Foundation
import Frames

/// How plates of the sweep differ from the truth.
struct SweepScores {
  /// Ways to combine, by the words of the table's head.
  static let methods: [(name: String, combine: CombineOperator, detector: DetectorOption)] = [
    ("`median`", .median, .off), ("`clean`", .clean, .off), ("with detector", .clean, .auto),
  ]
  /// How many of the frames show a pixel free: a name, and from which percentage on. The first that fits holds.
  static let strata: [(name: String, from: Int)] = [
    ("all", 100), ("60 % and more", 60), ("40-60 %", 40), ("20-40 %", 20), ("below 20 %", 1), ("none", 0),
  ]
  /// Luma levels from which an error counts, as in the SBI benchmark of background initialisation (Maddalena and
  /// Petrosino, "Towards benchmarking scene background initialization", 2015).
  static let visibleError = 20.0

  /// Pixels, and those of them that are wrong, per method.
  struct Count {
    var pixels = 0
    var wrong = Array(repeating: 0, count: SweepScores.methods.count)

    static func += (sum: inout Count, more: Count) {
      sum.pixels += more.pixels
      for method in sum.wrong.indices { sum.wrong[method] += more.wrong[method] }
    }
  }

  /// Per case of the sweep, per stratum.
  private(set) var counts: [[Count]] = []
  /// Per case of the sweep: the plate's pixels, and what is wrong of them, per method.
  private(set) var people: [(pixels: Int, counts: [PeopleCount])] = []

  /// Renders and combines every burst.
  static func measure(scene: Canvas) async throws -> SweepScores {
    var scores = SweepScores()
    for (number, one) in Sweep.cases.enumerated() {
      try await scores.measure(one, scene: scene)
      FileHandle.standardError.write(Data("\(one.plan.name) (\(number + 1) of \(Sweep.cases.count))\n".utf8))
    }
    return scores
  }

  private mutating func measure(_ one: Sweep.Case, scene: Canvas) async throws {
    let burst = Burst(one.plan)
    let photos = try await mapIndices(count: burst.shots.count, threads: 2) { index in
      let bytes = try encode(
        burst.photo(index, of: scene).converted(to: .photo), options: EncodeOptions(format: .jpeg, quality: 90))
      return Input.bytes(bytes, name: "frame_\(index)")
    }
    let camera = one.plan.camera
    let truth = try camera.photo(of: scene, shot: Shot(homography: .identity), bits: 8, name: "truth")
    let views = try await mapIndices(count: burst.shots.count, threads: 2) { try burst.view($0, of: scene) }
    let hidden = burst.hidden
    var counts = Array(repeating: Count(), count: Self.strata.count)
    var people: [PeopleCount] = []
    var shown: ShownPeople?
    for (position, method) in Self.methods.enumerated() {
      let options = try Options(combine: method.combine, reference: .index(0), detector: method.detector)
      let result = try await makePlate(from: photos, options: options)
      let crop = result.report.crop
      let (luma, isWrong) = try Self.errors(of: result.plate, in: crop, truth)
      for y in 0..<crop.height {
        for x in 0..<crop.width {
          let free = hidden.count { !$0.isSet[(crop.y + y) * camera.size.width + crop.x + x] }
          guard let stratum = Self.strata.firstIndex(where: { 100 * free >= $0.from * one.frames }) else { continue }
          if position == 0 { counts[stratum].pixels += 1 }
          if isWrong[y * crop.width + x] { counts[stratum].wrong[position] += 1 }
        }
      }
      // Every method leaves the same rectangle.
      let part =
        shown
        ?? ShownPeople(
          views: views.map { Self.luma($0, crop) }, hidden: hidden.map { $0.part(crop) }, size: crop.size)
      shown = part
      people.append(part.sort(isWrong, in: luma))
    }
    self.counts.append(counts)
    self.people.append((shown?.size.area ?? 0, people))
  }

  /// A plate's luma after the one gain that fits the truth best, and whether its pixels are visibly wrong.
  private static func errors(
    of plate: Frame, in crop: Region, _ truth: Frame
  ) throws -> (luma: [Double], isWrong: [Bool]) {
    let shown = luma(try plate.converted(to: PixelLayout(encoding: .rgb, bits: 8)), plate.size.bounds)
    let expected = luma(truth, crop)
    var (both, own) = (0.0, 0.0)
    for (s, e) in zip(shown, expected) {
      both += s * e
      own += s * s
    }
    let gain = both / max(own, 1)
    let fitted = shown.map { gain * $0 }
    return (fitted, zip(fitted, expected).map { abs($0 - $1) > visibleError })
  }

  private static func luma(_ picture: Frame, _ region: Region) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(region.area)
    for y in region.y..<region.maxY {
      for x in region.x..<region.maxX {
        let (red, green, blue) = (picture.planes[0][x, y], picture.planes[1][x, y], picture.planes[2][x, y])
        values.append(0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue))
      }
    }
    return values
  }
}

extension RegionMask {
  /// A part of the picture.
  fileprivate func part(_ region: Region) -> RegionMask {
    RegionMask(
      size: region.size,
      isSet: (region.y..<region.maxY).flatMap { y in
        isSet[y * size.width + region.x..<y * size.width + region.maxX]
      })
  }
}
