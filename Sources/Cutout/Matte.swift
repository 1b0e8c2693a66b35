package import Frames
import Resampling

/// Finds who is in a photo and not in its plate.
///
/// Small pictures of both, in which noise and the last fractions of a pixel of misregistration hardly show, tell the
/// regions that differ: connected ones of some size and breadth, with an outline (clouds drift without one), and with a
/// core that differs plainly where the reference was not believed. At full size the difference itself draws their edge.
package struct Matte: Sendable {
  private let reference: [Plane]
  private let plate: [Plane]
  private let grids: [PlaneGrid]
  private let noise: [NoiseLevel]

  /// - Parameters:
  ///   - reference: the photo's planes, on the plate's rectangle.
  ///   - plate: the plate's, of the same encoding, depth and size.
  ///   - grids: where the samples of both sit.
  ///   - noise: one per plane.
  package init(reference: [Plane], plate: [Plane], grids: [PlaneGrid], noise: [NoiseLevel]) {
    precondition(reference.count == plate.count && grids.count == plate.count && noise.count == plate.count)
    self.reference = reference
    self.plate = plate
    self.grids = grids
    self.noise = noise
  }

  /// Pixels at most of the small pictures.
  private static let smallArea = 750_000.0
  /// Deviations, in the small pictures, from which a core and its surroundings count.
  private static let core: Float = 5
  private static let surroundings: Float = 2.5
  /// The same for surroundings where the reference was doubted.
  private static let doubted: Float = 1.2
  /// By how much deviations rise over a few small pixels at an outline, and the share of an edge that must have one.
  private static let outline: Float = 4
  private static let outlined = 0.25
  /// Small pixels that a region and its core have at least.
  private static let leastArea = 24
  private static let leastCore = 6
  /// Small pixels of a hole that is closed.
  private static let hole = 120
  /// Deviations at full size at which opacity begins and is whole.
  private static let edge: ClosedRange<Float> = 2...5
  /// Pixels by which reference and plate may still be apart, at full size.
  private static let misplacement: Float = 0.7
  /// The same in the small pictures, where it is measured: at least and at most.
  private static let smallMisplacement: ClosedRange<Float> = 0.25...1

  /// How opaque each pixel of the reference must lie over the plate to show who was removed.
  /// - Parameters:
  ///   - threads: tasks that work at once; the result does not depend on it.
  ///   - belief: what the plate's plan says about the reference at a luma pixel.
  /// - Returns: as deep as the plate; 0 where nobody was removed, the largest sample where he hides what is behind.
  /// - Throws: `AllocationError`, `CancellationError`.
  package func opacity(
    threads: Int, belief: (_ x: Int, _ y: Int) -> SelectionPlan.Belief
  ) async throws -> Plane {
    let cover = try await cover(threads: threads, belief)
    let deviations = Deviations(
      reference: reference, plate: plate, grids: grids, noise: noise, misplacement: Self.misplacement)
    let builder = try PlaneBuilder(width: plate[0].width, height: plate[0].height, bits: plate[0].bits)
    let strip = 32
    try await forEachIndex(count: (builder.height + strip - 1) / strip, threads: threads) { index in
      let rows = index * strip..<min((index + 1) * strip, builder.height)
      if builder.bits > 8 {
        Self.draw(rows, cover, deviations, into: builder, UInt16.self)
      } else {
        Self.draw(rows, cover, deviations, into: builder, UInt8.self)
      }
    }
    return builder.finish()
  }

  /// Finds the regions in small pictures.
  private func cover(threads: Int, _ belief: (_ x: Int, _ y: Int) -> SelectionPlan.Belief) async throws -> Cover {
    let area = Double(plate[0].width * plate[0].height)
    let factor = min(max(Int((area / Self.smallArea).squareRoot().rounded(.up)), 1), plate[0].width, plate[0].height)
    let size = Size(width: plate[0].width / factor, height: plate[0].height / factor)
    let grids = grids
    let pairs = zip(reference, plate).map { [$0, $1] }
    let reduced = try await mapIndices(count: 2 * pairs.count, threads: threads) { index in
      try pairs[index / 2][index % 2].averaged(over: factor, on: grids[index / 2], to: size)
    }
    // Means hold less noise, if not as much less as they would were it white.
    let scale = Double(1 << (16 - plate[0].bits)) / Double(min(factor, 2))
    let deviations = Deviations(
      reference: pairs.indices.map { reduced[2 * $0] }, plate: pairs.indices.map { reduced[2 * $0 + 1] },
      grids: grids.map { _ in .full },
      noise: noise.map {
        NoiseLevel(constant: $0.constant * scale * scale, slope: $0.slope * scale / Double(min(factor, 2)))
      },
      misplacement: Self.smallMisplacement.lowerBound
    ).measuringMisplacement(within: Self.smallMisplacement)
    let squared = deviations.squared(rows: 0..<size.height).averaged()
    let beliefs = (0..<size.area).map {
      belief($0 % size.width * factor + factor / 2, $0 / size.width * factor + factor / 2)
    }
    let regions = Self.regions(of: squared, beliefs)
    return Cover(
      outer: regions.grown(by: 1).softened(), inner: regions.shrunk(by: 1).softened(), factor: factor)
  }

  /// The regions in which somebody stands.
  private static func regions(of squared: SmallPicture, _ beliefs: [SelectionPlan.Belief]) -> RegionMask {
    let differs = RegionMask(
      size: squared.size,
      isSet: zip(squared.values, beliefs).map { value, belief in
        let least = belief == .doubted ? doubted : surroundings
        return value > least * least
      })
    let whole = differs.closed()
    let broad = whole.shrunk(by: 1)
    return whole.keeping(hole: hole) { region in
      guard region.count >= leastArea, region.count(where: { broad.isSet[$0] }) >= leastCore else { return false }
      let isOutlined = region.filter { whole.isAtEdge($0) }.map { squared.range(around: $0) > outline }
      let heart = region.count { squared.values[$0] > core * core && beliefs[$0] != .believed }
      return heart >= leastCore && Double(isOutlined.count { $0 }) >= outlined * Double(isOutlined.count)
    }.smoothed()
  }

  private static func draw<S: Sample>(
    _ rows: Range<Int>, _ cover: Cover, _ deviations: Deviations, into builder: PlaneBuilder, _ type: S.Type
  ) {
    let whole = Float((1 << builder.bits) - 1)
    // One row more on both sides, for means over 3x3.
    let halo = max(rows.lowerBound - 1, 0)..<min(rows.upperBound + 1, builder.height)
    let squared = rows.contains(where: cover.reaches) ? deviations.squared(rows: halo).averaged() : nil
    for y in rows {
      let target = builder.row(y, as: type)
      guard let squared, cover.reaches(row: y) else {
        target.update(repeating: 0)
        continue
      }
      for x in 0..<builder.width {
        let (outer, inner) = cover.at(x, y)
        guard outer > 0 else {
          target[x] = 0
          continue
        }
        let deviation = squared.values[(y - halo.lowerBound) * builder.width + x].squareRoot()
        target[x] = S(max(inner, outer * smoothStep(deviation, edge)) * whole + 0.5)
      }
    }
  }
}

/// How surely each pixel belongs to a region: outside it, near its edge, or within.
private struct Cover: Sendable {
  private let outer: SmallPicture
  private let inner: SmallPicture
  /// Pixels along a small pixel's side.
  private let factor: Int

  init(outer: SmallPicture, inner: SmallPicture, factor: Int) {
    self.outer = outer
    self.inner = inner
    self.factor = factor
  }

  /// Whether any pixel of a row may be covered.
  func reaches(row y: Int) -> Bool {
    let row = place(y, outer.size.height)
    return [row.first, row.second].contains { row in
      outer.values[row * outer.size.width..<(row + 1) * outer.size.width].contains { $0 > 0 }
    }
  }

  /// Both covers at a pixel, interpolated linearly, 0...1.
  func at(_ x: Int, _ y: Int) -> (outer: Float, inner: Float) {
    let (column, row) = (place(x, outer.size.width), place(y, outer.size.height))
    func value(_ picture: SmallPicture) -> Float {
      let (top, bottom) = (row.first * picture.size.width, row.second * picture.size.width)
      let above = mix(picture.values[top + column.first], picture.values[top + column.second], column.share)
      let below = mix(picture.values[bottom + column.first], picture.values[bottom + column.second], column.share)
      return mix(above, below, row.share)
    }
    return (value(outer), value(inner))
  }

  /// The two small pixels between whose centres a pixel lies, and how near the second it is.
  private func place(_ position: Int, _ count: Int) -> (first: Int, second: Int, share: Float) {
    let small = max((Float(position) + 0.5) / Float(factor) - 0.5, 0)
    let first = min(Int(small), count - 1)
    return (first, min(first + 1, count - 1), small - Float(Int(small)))
  }

  private func mix(_ a: Float, _ b: Float, _ share: Float) -> Float { a + share * (b - a) }
}

/// 0 below the range, 1 above it, smooth in between.
private func smoothStep(_ value: Float, _ range: ClosedRange<Float>) -> Float {
  let t = min(max((value - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
  return t * t * (3 - 2 * t)
}
