import CShimKernels
import Frames

/// What the kernel should compute, written for clearness, in double precision and exact at every sample.
struct WarpModel {
  var plane: Plane
  var toSource: Homography
  var sourceGrid = PlaneGrid.full
  var destinationGrid = PlaneGrid.full
  var shiftX: SmoothField?
  var shiftY: SmoothField?
  var gains: SmoothField?
  var offsets: SmoothField?
  var gain = 1.0
  var offset = 0.0
  var pivot = 0.0
  var kernel = CS_WARP_SHARP

  init(_ plane: Plane, _ toSource: Homography) {
    self.plane = plane
    self.toSource = toSource
  }

  /// The reference pixel of a destination sample.
  func pixel(_ x: Int, _ y: Int) -> Point {
    Point(
      x: Double(destinationGrid.scaleX * x) + destinationGrid.offsetX,
      y: Double(destinationGrid.scaleY * y) + destinationGrid.offsetY)
  }

  /// The position in the plane that a destination sample shows.
  func position(_ x: Int, _ y: Int) -> Point {
    let p = pixel(x, y)
    let q = toSource(Point(x: p.x + (shiftX?(p) ?? 0), y: p.y + (shiftY?(p) ?? 0)))
    return Point(
      x: (q.x - sourceGrid.offsetX) / Double(sourceGrid.scaleX),
      y: (q.y - sourceGrid.offsetY) / Double(sourceGrid.scaleY))
  }

  /// How far a position lies inside the plane's outline; negative outside.
  func margin(_ p: Point) -> Double {
    min(p.x + 0.5, Double(plane.width) - 0.5 - p.x, p.y + 0.5, Double(plane.height) - 0.5 - p.y)
  }

  /// The level of a destination sample before it is rounded.
  func level(_ x: Int, _ y: Int) -> Double {
    let position = position(x, y)
    let (left, top) = (position.x.rounded(.down), position.y.rounded(.down))
    var sum = 0.0
    for j in -1...2 {
      for i in -1...2 {
        let column = min(max(Int(left) + i, 0), plane.width - 1)
        let row = min(max(Int(top) + j, 0), plane.height - 1)
        sum +=
          cubic(position.x - left - Double(i)) * cubic(position.y - top - Double(j)) * Double(plane[column, row])
      }
    }
    let gain = gain * (gains?(pixel(x, y)) ?? 1)
    let offset = offset + (offsets?(pixel(x, y)) ?? 0)
    return min(max(gain * (sum - pivot) + pivot + offset, 0), Double(plane.maximum))
  }

  /// Keys' kernel with a = -3/4 or -1/2.
  func cubic(_ distance: Double) -> Double {
    let (d, a) = (abs(distance), kernel == CS_WARP_SHARP ? -0.75 : -0.5)
    if d <= 1 { return ((a + 2) * d - (a + 3)) * d * d + 1 }
    return d < 2 ? a * (((d - 5) * d + 8) * d - 4) : 0
  }
}

/// What the kernel computed for a region.
struct WarpResult: Equatable {
  var region: Region
  var coverage: cs_warp_coverage
  /// Covered columns of the destination plane, row by row.
  var spans: [Range<Int>]
  /// Row by row; -1 where nothing is covered.
  var samples: [Int]

  func sample(_ x: Int, _ y: Int) -> Int { samples[(y - region.y) * region.width + x - region.x] }
}

extension WarpModel {
  func render(_ region: Region, baseline: Bool = false) -> WarpResult {
    var result = WarpResult(region: region, coverage: CS_WARP_UNCOVERED, spans: [], samples: [])
    let bytes = plane.bytesPerSample
    // Guards on all sides show whether the kernel keeps to its rectangle.
    let guardValue: UInt8 = 0xa5
    let stride = (region.width + 2) * bytes
    var target = [UInt8](repeating: guardValue, count: stride * (region.height + 2))
    var spans = [cs_warp_span](repeating: cs_warp_span(start: -1, end: -1), count: region.height)
    target.withUnsafeMutableBytes { target in
      let first = target.baseAddress! + stride + bytes
      withKernelArguments { warp in
        let rect = cs_warp_rect(
          x: Int32(region.x), y: Int32(region.y), width: Int32(region.width), height: Int32(region.height))
        result.coverage =
          baseline
          ? cs_warp_tile_baseline(&warp, rect, first, stride, &spans) : cs_warp_tile(&warp, rect, first, stride, &spans)
      }
    }
    let isIntact = (0..<region.height + 2).allSatisfy { row in
      let line = target[row * stride..<(row + 1) * stride]
      let isOutside = row == 0 || row == region.height + 1
      return (isOutside ? line : line.prefix(bytes) + line.suffix(bytes)).allSatisfy { $0 == guardValue }
    }
    precondition(isIntact, "the kernel wrote outside of its rectangle")
    for (y, span) in spans.enumerated() {
      result.spans.append(Int(span.start)..<Int(span.end))
      for x in 0..<region.width {
        let at = (y + 1) * stride + (x + 1) * bytes
        let sample = bytes == 2 ? Int(target[at]) | Int(target[at + 1]) << 8 : Int(target[at])
        result.samples.append(result.spans[y].contains(x + region.x) ? sample : -1)
      }
    }
    return result
  }

  private func withKernelArguments(_ body: (inout cs_warp) -> Void) {
    var warp = cs_warp()
    warp.source_grid = kernelGrid(sourceGrid)
    warp.destination_grid = kernelGrid(destinationGrid)
    let h = toSource.elements
    warp.to_source = (h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8])
    (warp.gain, warp.offset, warp.pivot, warp.kernel) = (gain, offset, pivot, kernel)
    plane.withUnsafeBytes { samples in
      warp.source = cs_plane(
        samples: samples, stride: plane.stride, width: Int32(plane.width), height: Int32(plane.height),
        bits: Int32(plane.bits))
      withKernelField(shiftX) { shiftX in
        withKernelField(shiftY) { shiftY in
          withKernelField(gains) { gains in
            withKernelField(offsets) { offsets in
              (warp.shift_x, warp.shift_y, warp.gains, warp.offsets) = (shiftX, shiftY, gains, offsets)
              body(&warp)
            }
          }
        }
      }
    }
  }

  private func kernelGrid(_ grid: PlaneGrid) -> cs_warp_grid {
    cs_warp_grid(
      scale_x: Double(grid.scaleX), scale_y: Double(grid.scaleY), offset_x: grid.offsetX, offset_y: grid.offsetY)
  }

  private func withKernelField(_ field: SmoothField?, _ body: (UnsafePointer<cs_warp_field>?) -> Void) {
    guard let field else { return body(nil) }
    field.values.withUnsafeBufferPointer { values in
      var kernelField = cs_warp_field(
        columns: Int32(field.columns), rows: Int32(field.rows), width: Int32(field.size.width),
        height: Int32(field.size.height), values: values.baseAddress)
      withUnsafePointer(to: &kernelField, body)
    }
  }
}
