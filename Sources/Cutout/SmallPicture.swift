import Frames

/// A small picture of numbers.
struct SmallPicture: Sendable {
  let size: Size
  /// Row by row.
  var values: [Float]

  init(size: Size, values: [Float]) {
    precondition(values.count == size.area)
    self.size = size
    self.values = values
  }

  /// All 0.
  init(size: Size) { self.init(size: size, values: Array(repeating: 0, count: size.area)) }

  /// From the root of the least value among the 5x5 pixels around one to the root of the largest.
  func range(around pixel: Int) -> Float {
    let (x, y) = (pixel % size.width, pixel / size.width)
    var (low, high) = (values[pixel], values[pixel])
    for v in max(y - 2, 0)...min(y + 2, size.height - 1) {
      for u in max(x - 2, 0)...min(x + 2, size.width - 1) {
        low = min(low, values[v * size.width + u])
        high = max(high, values[v * size.width + u])
      }
    }
    return high.squareRoot() - low.squareRoot()
  }

  /// Means over 3x3 pixels; beyond the border the nearest pixel counts.
  func averaged() -> SmallPicture {
    var across = values
    for y in 0..<size.height {
      let row = y * size.width
      for x in 0..<size.width {
        across[row + x] = values[row + max(x - 1, 0)] + values[row + x] + values[row + min(x + 1, size.width - 1)]
      }
    }
    var result = self
    for y in 0..<size.height {
      let (above, below) = (max(y - 1, 0) * size.width, min(y + 1, size.height - 1) * size.width)
      for x in 0..<size.width {
        result.values[y * size.width + x] = (across[above + x] + across[y * size.width + x] + across[below + x]) / 9
      }
    }
    return result
  }
}

extension RegionMask {
  /// With every pixel as most of its surroundings of 3x3 are.
  func smoothed() -> RegionMask { RegionMask(size: size, isSet: softened().values.map { $0 > 0.5 }) }

  /// How much of each pixel's surroundings of 3x3 is set, 0...1; beyond the border the nearest pixel counts.
  func softened() -> SmallPicture {
    SmallPicture(size: size, values: isSet.map { $0 ? 1 : 0 }).averaged()
  }
}
