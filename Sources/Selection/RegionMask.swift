import Frames

/// A small picture of yes and no, and what tells regions from speckles in it.
struct RegionMask: Sendable {
  let size: Size
  /// Row by row.
  var isSet: [Bool]

  init(size: Size, isSet: [Bool]) {
    precondition(isSet.count == size.area)
    self.size = size
    self.isSet = isSet
  }

  /// Grown by one pixel on every side, corners included.
  func dilated() -> RegionMask { spread(true) }

  /// Shrunk by one pixel on every side; the picture's border takes nothing away.
  func eroded() -> RegionMask { spread(false) }

  /// Gaps of up to two pixels closed.
  func closed() -> RegionMask { dilated().eroded() }

  private func spread(_ value: Bool) -> RegionMask {
    var result = self
    for y in 0..<size.height {
      let (top, bottom) = (max(y - 1, 0), min(y + 1, size.height - 1))
      for x in 0..<size.width where isSet[y * size.width + x] != value {
        let (left, right) = (max(x - 1, 0), min(x + 1, size.width - 1))
        result.isSet[y * size.width + x] =
          (top...bottom).contains { v in (left...right).contains { isSet[v * size.width + $0] == value } }
          ? value : !value
      }
    }
    return result
  }

  /// The connected regions (by their sides) of the pixels that are `value`, each as its pixels' indices.
  func regions(of value: Bool) -> [[Int]] {
    var isOpen = isSet.map { $0 == value }
    var regions: [[Int]] = []
    for start in isOpen.indices where isOpen[start] {
      isOpen[start] = false
      var region = [start]
      var next = 0
      while next < region.count {
        let (x, y) = (region[next] % size.width, region[next] / size.width)
        for (u, v) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        where (0..<size.width).contains(u) && (0..<size.height).contains(v) && isOpen[v * size.width + u] {
          isOpen[v * size.width + u] = false
          region.append(v * size.width + u)
        }
        next += 1
      }
      regions.append(region)
    }
    return regions
  }

  /// Only the regions that `isKept`, with holes of at most `hole` pixels filled.
  func keeping(hole: Int, _ isKept: ([Int]) -> Bool) -> RegionMask {
    var result = RegionMask(size: size, isSet: Array(repeating: false, count: isSet.count))
    for region in regions(of: true) where isKept(region) {
      for pixel in region { result.isSet[pixel] = true }
    }
    for region in result.regions(of: false) where region.count <= hole {
      for pixel in region { result.isSet[pixel] = true }
    }
    return result
  }

  /// Whether a pixel has a neighbour that is not set.
  func isAtEdge(_ pixel: Int) -> Bool {
    let (x, y) = (pixel % size.width, pixel / size.width)
    return x > 0 && !isSet[pixel - 1] || x + 1 < size.width && !isSet[pixel + 1]
      || y > 0 && !isSet[pixel - size.width] || y + 1 < size.height && !isSet[pixel + size.width]
  }

  /// With every pixel as most of its surroundings of 3x3 are.
  func smoothed() -> RegionMask { RegionMask(size: size, isSet: softened().values.map { $0 > 0.5 }) }

  /// How much of each pixel's surroundings of 3x3 is set, 0...1; beyond the border the nearest pixel counts.
  func softened() -> SmallPicture {
    SmallPicture(size: size, values: isSet.map { $0 ? 1 : 0 }).averaged()
  }
}

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
