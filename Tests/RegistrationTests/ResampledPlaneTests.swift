import Frames
import Testing

@testable import Resampling

/// Planes on other grids, in vectors, against plain sums.
struct ResampledPlaneTests {
  /// Lost, gained, and only moved samples; of planes that are narrower than what one sample is made of, too.
  @Test(arguments: [(4, 5, 0.0), (4, 3, 0), (2, 7, 0), (4, 4, 1), (1, 9, 0.5)], [(31, 17), (8, 3), (2, 1), (1, 2)])
  func samplesAreWeightedMeans(scales: (from: Int, to: Int, offset: Double), extent: (width: Int, height: Int)) throws {
    let plane = try pattern(width: extent.width, height: extent.height)
    let own = PlaneGrid(scaleX: scales.from, scaleY: scales.from)
    let target = PlaneGrid(scaleX: scales.to, scaleY: scales.to, offsetX: scales.offset, offsetY: scales.offset)
    let size = target.planeSize(for: Size(width: extent.width * scales.from, height: extent.height * scales.from))
    let columns = GridTaps.columns(of: plane, on: own, to: target, count: size.width)
    let rows = GridTaps.rows(of: plane, on: own, to: target, count: size.height)
    let resampled = try plane.resampled(columns: columns, rows: rows)
    #expect(resampled.width == size.width && resampled.height == size.height && size.area > 0)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let expected = min(max(mean(of: plane, columns, x, rows, y), 0), 255)
        let level = resampled.withUnsafeRow(y, as: UInt8.self) { Double($0[x]) }
        #expect(abs(level - expected) < 0.501, "\(x), \(y)")
      }
    }
  }

  /// What lies beyond the border is as at it, so that nothing becomes darker there; and an overshoot becomes no other byte.
  @Test(arguments: [UInt8(0), 255], [3, 4, 5]) func nothingChangesWhatIsEven(level: UInt8, scale: Int) throws {
    let builder = try PlaneBuilder(width: 9, height: 6, bits: 8)
    for y in 0..<6 { builder.row(y, as: UInt8.self).update(repeating: level) }
    let plane = builder.finish()
    let (own, target) = (
      PlaneGrid(scaleX: 4, scaleY: 4), PlaneGrid(scaleX: scale, scaleY: scale, offsetX: 1.5, offsetY: 0)
    )
    let columns = GridTaps.columns(of: plane, on: own, to: target, count: 7)
    let rows = GridTaps.rows(of: plane, on: own, to: target, count: 5)
    let resampled = try plane.resampled(columns: columns, rows: rows)
    for y in 0..<5 { #expect(resampled.withUnsafeRow(y, as: UInt8.self) { $0.allSatisfy { $0 == level } }) }
  }

  @Test func equalPartsHaveAllOfARow() {
    for (extent, count) in [(10, 3), (7, 7), (1280, 999), (5, 1)] {
      let areas = GridTaps.areas(of: extent, count: count)
      var counted = [Float](repeating: 0, count: extent)
      for part in 0..<count {
        let weights = areas.weights[part * areas.width..<(part + 1) * areas.width]
        #expect(abs(weights.reduce(0, +) - 1) < 1e-5)
        for (tap, weight) in weights.enumerated() where weight != 0 { counted[areas.first[part] + tap] += weight }
      }
      let each = Float(count) / Float(extent)
      #expect(counted.allSatisfy { abs($0 - each) < 1e-5 })
    }
  }

  private func mean(of plane: Plane, _ columns: GridTaps, _ x: Int, _ rows: GridTaps, _ y: Int) -> Double {
    var sum = 0.0
    for v in 0..<rows.width {
      let row = min(max(rows.first[y] + v, 0), plane.height - 1)
      for u in 0..<columns.width {
        let column = min(max(columns.first[x] + u, 0), plane.width - 1)
        let weight = Double(rows.weights[y * rows.width + v]) * Double(columns.weights[x * columns.width + u])
        sum += weight * plane.withUnsafeRow(row, as: UInt8.self) { Double($0[column]) }
      }
    }
    return sum
  }

  /// Bytes from one end to the other, beside each other.
  private func pattern(width: Int, height: Int) throws -> Plane {
    let builder = try PlaneBuilder(width: width, height: height, bits: 8)
    for y in 0..<height {
      let row = builder.row(y, as: UInt8.self)
      for x in row.indices { row[x] = UInt8(truncatingIfNeeded: (x * 7 + y * 13) * 37) }
    }
    return builder.finish()
  }
}
