import Frames
import Resampling
import Testing

@testable import Registration

@Suite struct PyramidTests {
  /// A sample that differs from place to place.
  private func value(_ x: Int, _ y: Int, _ maximum: Int) -> Int {
    (x * 7919 + y * 104_729 + x * y * 31) % (maximum + 1)
  }

  private func samples(_ plane: Plane) -> [Int] {
    (0..<plane.height).flatMap { y in (0..<plane.width).map { plane[$0, y] } }
  }

  @Test(arguments: 1...9) func bytesAreAveragedAndRounded(factor: Int) throws {
    let plane = try Plane(width: 101, height: 83) { value($0, $1, 255) }
    let pyramid = try Pyramid(Frame(planes: [plane], encoding: .grey(.full), name: ""), factor: factor)
    let base = pyramid.levels[0]
    #expect(pyramid.size(level: 0) == Size(width: 101 / factor, height: 83 / factor))
    for y in 0..<base.height {
      for x in 0..<base.width {
        let square = (0..<factor * factor).map { plane[x * factor + $0 % factor, y * factor + $0 / factor] }
        let mean = Double(square.reduce(0, +)) / Double(factor * factor)
        let rounded = factor == 2 ? (mean + 0.5).rounded(.down) : mean.rounded(.toNearestOrEven)
        #expect(base[x, y] == Int(rounded))
      }
    }
  }

  @Test(arguments: [8, 12, 16], [1, 2, 3]) func coloursAreMixed(bits: Int, factor: Int) throws {
    let maximum = (1 << bits) - 1
    let planes = try (0..<3).map { k in
      try Plane(width: 60, height: 50, bits: bits) { value($0 + 17 * k, $1 + 5 * k, maximum) }
    }
    let base = try Pyramid(Frame(planes: planes, encoding: .rgb, name: ""), factor: factor).levels[0]
    #expect(base.bits == 8 && base.width == 60 / factor && base.height == 50 / factor)
    for y in 0..<base.height {
      for x in 0..<base.width {
        let mixed = zip(planes, [0.2126, 0.7152, 0.0722]).reduce(0.0) { sum, plane in
          let square = (0..<factor * factor).map { plane.0[x * factor + $0 % factor, y * factor + $0 / factor] }
          return sum + plane.1 * Double(square.reduce(0, +)) / Double(factor * factor) / Double(maximum) * 255
        }
        // Three means that are rounded at their own depth, and their sum.
        #expect(abs(Double(base[x, y]) - mixed) <= 0.5 + (bits == 8 ? 0.5 : 0.05))
      }
    }
  }

  /// The sums of so many rows need more than 16 bits.
  @Test(arguments: [1, 2, 7]) func highBlocksAreAveraged(across: Int) throws {
    let plane = try Plane(width: 30, height: 1200) { 255 - value($0, $1, 15) }
    let means = try plane.averaged(across: across, down: 600)
    #expect(means.width == 30 / across && means.height == 2)
    for y in 0..<means.height {
      for x in 0..<means.width {
        let block = (0..<600 * across).map { plane[x * across + $0 % across, 600 * y + $0 / across] }
        #expect(means[x, y] == Int((Double(block.reduce(0, +)) / Double(block.count)).rounded(.toNearestOrEven)))
      }
    }
  }

  /// Every level of 8 bits is as wide as every other.
  @Test(arguments: [9, 10, 12, 16]) func samplesOfManyBitsKeepTheirUpperOnes(bits: Int) throws {
    let plane = try Plane(width: 256, height: 1 << (bits - 8), bits: bits) { x, y in y << 8 | x }
    let bytes = try plane.averaged(over: 1)
    #expect(samples(bytes) == samples(plane).map { $0 >> (bits - 8) })
  }

  @Test func aGreyOfManyBitsIsScaled() throws {
    let plane = try Plane(width: 64, height: 64, bits: 12) { x, y in x + 64 * y }
    let base = try Pyramid(Frame(planes: [plane], encoding: .grey(.full), name: ""), factor: 1).levels[0]
    for y in 0..<64 {
      for x in 0..<64 { #expect(base[x, y] == Int((Double(x + 64 * y) * 255 / 4095).rounded())) }
    }
  }

  @Test func everyLevelHalvesTheOneBefore() throws {
    let plane = try Plane(width: 517, height: 260) { value($0, $1, 255) }
    let pyramid = try Pyramid(Frame(planes: [plane], encoding: .grey(.full), name: ""), factor: 1)
    #expect(samples(pyramid.levels[0]) == samples(plane))
    #expect(pyramid.levels.map(\.width) == [517, 258, 129, 64] && pyramid.levels.map(\.height) == [260, 130, 65, 32])
    let (fine, coarse) = (pyramid.levels[1], pyramid.levels[2])
    for y in 0..<coarse.height {
      for x in 0..<coarse.width {
        let sum = fine[2 * x, 2 * y] + fine[2 * x + 1, 2 * y] + fine[2 * x, 2 * y + 1] + fine[2 * x + 1, 2 * y + 1]
        #expect(coarse[x, y] == (sum + 2) / 4)
      }
    }
  }
}
