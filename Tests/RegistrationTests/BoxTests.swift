import Frames
import Testing

@testable import Registration

/// Statistics in vectors against plain sums.
@Suite struct BoxTests {
  private let width = 61
  private let height = 43

  private func plane(bits: Int) throws -> Plane {
    let builder = try PlaneBuilder(width: width, height: height, bits: bits)
    var random = SteadyNumbers()
    for y in 0..<height {
      for x in 0..<width {
        // Down to the darkest, and up to the brightest.
        let value = min(Int(random.next() * 1.1 * Double(1 << bits)), 1 << bits - 1)
        if bits > 8 {
          builder.row(y, as: UInt16.self)[x] = UInt16(value)
        } else {
          builder.row(y, as: UInt8.self)[x] = UInt8(value)
        }
      }
    }
    return builder.finish()
  }

  @Test(arguments: [8, 12, 16], [0, 1, 2, 3, 4, 5, 8, 13, 21]) func measuresAsPlainSums(bits: Int, radius: Int) throws {
    let plane = try plane(bits: bits)
    let corners = [(radius, radius), (width - 1 - radius, radius), (radius, height - 1 - radius)]
    let centres = corners + [(width - 1 - radius, height - 1 - radius), (width / 2, height / 2)]
    let boxes = plane.boxes(around: centres.map { .init(x: Int32($0.0), y: Int32($0.1)) }, radius: radius)
    #expect(boxes.count == centres.count)
    for (box, centre) in zip(boxes, centres) {
      let values = (centre.1 - radius...centre.1 + radius).flatMap { y in
        (centre.0 - radius...centre.0 + radius).map { plane[$0, y] }
      }
      let mean = Double(values.reduce(0, +)) / Double(values.count)
      let squares = Double(values.reduce(0) { $0 + $1 * $1 }) / Double(values.count)
      #expect(box.mean == mean)
      #expect(box.variance == max(0, squares - mean * mean))
      #expect(Int(box.largest) == values.max())
    }
  }
}
