import Frames
import Testing

@testable import Registration

@Suite struct Laplacian {
  /// A frame of noise, which no two ways of averaging agree on by chance.
  private func noise(width: Int, height: Int) throws -> Frame {
    let plane = try Plane(width: width, height: height) { x, y in
      Int(Generator.mixed(UInt64(y * width + x)) % 256)
    }
    return Frame(planes: [plane], encoding: .grey(.full), name: "noise")
  }

  /// The weights of samples in one of `count` equal parts of `extent` samples.
  private func part(_ index: Int, of count: Int, extent: Int) -> [(sample: Int, weight: Double)] {
    let length = Double(extent) / Double(count)
    let (start, end) = (Double(index) * length, Double(index + 1) * length)
    return (Int(start)..<min(Int(end.rounded(.up)), extent)).map { sample in
      (sample, (min(Double(sample + 1), end) - max(Double(sample), start)) / length)
    }
  }

  @Test(arguments: [(1703, 1301), (1400, 700), (97, 61), (33, 1), (1, 1)])
  func pictureIsTheLaplacianOfAreaMeans(width: Int, height: Int) throws {
    let frame = try noise(width: width, height: height)
    let picture = try LaplacianPicture(try Registrar().describe(frame))
    let size = picture.size
    #expect(size.area <= 1280 * 720 + max(width, height))
    func mean(_ x: Int, _ y: Int) -> Int {
      var sum = 0.0
      for (row, down) in part(y, of: size.height, extent: height) {
        for (column, across) in part(x, of: size.width, extent: width) {
          sum += down * across * Double(frame.planes[0][column, row])
        }
      }
      return Int((sum + 0.5).rounded(.down))
    }
    func inside(_ position: Int, _ extent: Int) -> Int {
      if position < 0 { return min(-position, extent - 1) }
      return position < extent ? position : max(2 * extent - 2 - position, 0)
    }
    // Everything near the corners, and some of the rest.
    let columns = Set([0, 1, size.width - 2, size.width - 1] + Array(stride(from: 0, to: size.width, by: 61)))
    let rows = Set([0, 1, size.height - 2, size.height - 1] + Array(stride(from: 0, to: size.height, by: 47)))
    for y in rows where (0..<size.height).contains(y) {
      for x in columns where (0..<size.width).contains(x) {
        var expected = 9 * mean(x, y)
        for dy in -1...1 {
          for dx in -1...1 { expected -= mean(inside(x + dx, size.width), inside(y + dy, size.height)) }
        }
        // A mean that lies at half a level may be rounded either way.
        #expect(abs(Int(picture.values[y * size.width + x]) - expected) <= 9, "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: [(1703, 1301), (97, 61), (33, 1)])
  func momentsAreThePictures(width: Int, height: Int) throws {
    let description = try Registrar().describe(try noise(width: width, height: height))
    let values = try LaplacianPicture(description).values.map(Double.init)
    let mean = values.reduce(0, +) / Double(values.count)
    let variance = values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count)
    #expect(variance > 1000)
    #expect(abs(description.laplacian.variance - variance) < 1e-9 * variance)
  }
}
