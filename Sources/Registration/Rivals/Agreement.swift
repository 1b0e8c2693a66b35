import CShimOpenCV
import Frames
import ShimSupport

/// How well whitened pictures agree: every place has one vote, however faint its texture, so that extent decides and not
/// contrast. Walkers in front of a plain wall have as many votes as they cover of it.
struct Agreement: Sendable {
  let frame: SmallPicture
  let reference: SmallPicture

  /// The level of a place that is neither bright nor dark.
  static let neutral = 128

  /// How the two agree in a part of the picture.
  struct Sums: Sendable {
    /// Of products, and of each picture's squares.
    var (product, ownEnergy, otherEnergy) = (0, 0, 0)

    /// Normalised, -1...1.
    var correlation: Double {
      guard ownEnergy > 0, otherEnergy > 0 else { return 0 }
      return Double(product) / (Double(ownEnergy) * Double(otherEnergy)).squareRoot()
    }

    static func + (a: Sums, b: Sums) -> Sums {
      Sums(
        product: a.product + b.product, ownEnergy: a.ownEnergy + b.ownEnergy,
        otherEnergy: a.otherEnergy + b.otherEnergy)
    }
  }

  /// The normalised correlation of the two where both show something, -1...1.
  /// - Parameter map: frame to reference, proxy pixels.
  /// - Returns: 0 where less than a tenth is shown by both.
  func correlation(along map: Homography) -> Double { rows(along: map).reduce(Sums(), +).correlation }

  /// How they agree in every row of the reference; empty where less than a tenth is shown by both.
  /// - Parameter map: frame to reference, proxy pixels.
  func rows(along map: Homography) -> [Sums] {
    guard let warped = frame.warped(by: map, onto: reference), warped.coverage > 0.1 else { return [] }
    return warped.spans.enumerated().map { y, columns in
      let start = y * reference.size.width
      return reference.samples.withUnsafeBufferPointer { reference in
        warped.picture.samples.withUnsafeBufferPointer { frame in
          var (row, own, other) = (Int32(0), Int32(0), Int32(0))
          for x in columns {
            let a = Int32(reference[start + x]) - Int32(Self.neutral)
            let b = Int32(frame[start + x]) - Int32(Self.neutral)
            row &+= a &* b
            own &+= a &* a
            other &+= b &* b
          }
          return Sums(product: Int(row), ownEnergy: Int(own), otherEnergy: Int(other))
        }
      }
    }
  }

  /// A shift that many places agree on.
  struct Peak: Sendable {
    /// Frame to reference, proxy pixels.
    var map: Homography
    /// The correlation there, as far as the surface tells.
    var height: Double
  }

  /// Whether two motions, frame to reference in proxy pixels, differ by less than what can be told apart.
  func isSame(_ a: Homography, _ b: Homography) -> Bool {
    a.cornerDistance(to: b, size: frame.coveredSize) < 2 * reference.step
  }

  /// Shares of the picture's sides by which a picture may be shifted.
  private static let reach = 0.4
  /// Samples between two peaks at least.
  private static let distance = 3

  /// The shifts on top of `map` that most places agree on, highest first.
  /// - Parameters:
  ///   - map: frame to reference, proxy pixels; its rotation and scale are kept.
  ///   - most: peaks at most.
  /// - Throws: `ShimError` when memory runs out.
  func peaks(around map: Homography, most: Int) throws(ShimError) -> [Peak] {
    guard let warped = frame.warped(by: map, onto: reference), warped.coverage > 0.1 else { return [] }
    let size = reference.size
    var samples = warped.picture.samples
    for (y, columns) in warped.spans.enumerated() {
      for x in 0..<size.width where !columns.contains(x) { samples[y * size.width + x] = UInt8(Self.neutral) }
    }
    let surface = try ShiftSurface(samples, onto: reference.samples, size: size, reach: Self.reach)
    return surface.peaks(most: most, distance: Self.distance).compactMap { peak in
      let shift = Homography.translation(x: peak.shift.x * reference.step, y: peak.shift.y * reference.step)
      return (shift * map).map { Peak(map: $0, height: peak.height) }
    }
  }
}

/// The correlation of two whitened pictures over all shifts.
struct ShiftSurface: Sendable {
  private let values: [Float]
  private let reach: (x: Int, y: Int)

  init(_ frame: [UInt8], onto reference: [UInt8], size: Size, reach share: Double) throws(ShimError) {
    reach = (Int(share * Double(size.width)), Int(share * Double(size.height)))
    var values = [Float](repeating: 0, count: (2 * reach.x + 1) * (2 * reach.y + 1))
    try check(
      cs_shift_agreement(
        reference, frame, Int32(size.width), Int32(size.height), Int32(reach.x), Int32(reach.y), &values))
    self.values = values
  }

  /// Local maxima, highest first; in samples, to a fraction of one.
  func peaks(most: Int, distance: Int) -> [(shift: Point, height: Double)] {
    let columns = 2 * reach.x + 1
    let rows = 2 * reach.y + 1
    var found: [(x: Int, y: Int, value: Float)] = []
    for y in 1..<max(rows - 1, 1) {
      for x in 1..<max(columns - 1, 1) {
        let value = values[y * columns + x]
        guard value > 0 else { continue }
        var isPeak = true
        for dy in -1...1 where isPeak {
          for dx in -1...1 where (dx != 0 || dy != 0) && values[(y + dy) * columns + x + dx] > value { isPeak = false }
        }
        if isPeak { found.append((x, y, value)) }
      }
    }
    found.sort { ($1.value, $0.y, $0.x) < ($0.value, $1.y, $1.x) }
    var kept: [(x: Int, y: Int, value: Float)] = []
    for peak in found where kept.count < most {
      if kept.allSatisfy({ max(abs($0.x - peak.x), abs($0.y - peak.y)) >= distance }) { kept.append(peak) }
    }
    return kept.map { peak in
      let at = { (dx: Int, dy: Int) in Double(values[(peak.y + dy) * columns + peak.x + dx]) }
      return (
        Point(
          x: Double(peak.x - reach.x) + vertex(at(-1, 0), at(0, 0), at(1, 0)),
          y: Double(peak.y - reach.y) + vertex(at(0, -1), at(0, 0), at(0, 1))), Double(peak.value)
      )
    }
  }
}

/// Where a parabola through three values at -1, 0 and 1 is highest, within half a step.
private func vertex(_ before: Double, _ here: Double, _ after: Double) -> Double {
  let bend = before - 2 * here + after
  return bend < 0 ? min(max((before - after) / (2 * bend), -0.5), 0.5) : 0
}
