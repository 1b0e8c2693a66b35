/// A small picture of yes and no, and what tells regions from speckles in it.
package struct RegionMask: Sendable, Hashable {
  package let size: Size
  /// Row by row.
  package var isSet: [Bool]

  package init(size: Size, isSet: [Bool]) {
    precondition(isSet.count == size.area)
    self.size = size
    self.isSet = isSet
  }

  /// No pixel set.
  package init(size: Size) { self.init(size: size, isSet: Array(repeating: false, count: size.area)) }

  /// Only these pixels set.
  package init(size: Size, pixels: some Sequence<Int>) {
    self.init(size: size)
    for pixel in pixels { isSet[pixel] = true }
  }

  /// Whether any pixel of a part is set, as far as there are any.
  package func isAnySet(in part: Region) -> Bool {
    let part = part.intersection(size.bounds)
    return part.rows.contains { y in
      isSet[y * size.width + part.x..<y * size.width + part.maxX].contains(true)
    }
  }

  /// Only the pixels that another mask of the same size has, too.
  package func intersection(_ other: RegionMask) -> RegionMask {
    precondition(size == other.size)
    return RegionMask(size: size, isSet: zip(isSet, other.isSet).map { $0 && $1 })
  }

  /// The pixels that this or another mask of the same size has.
  package func union(_ other: RegionMask) -> RegionMask {
    precondition(size == other.size)
    return RegionMask(size: size, isSet: zip(isSet, other.isSet).map { $0 || $1 })
  }

  /// Grown by some pixels on every side, corners included.
  package func grown(by reach: Int) -> RegionMask { spread(true, reach) }

  /// Shrunk by some pixels on every side; the picture's border takes nothing away.
  package func shrunk(by reach: Int) -> RegionMask { spread(false, reach) }

  /// Gaps of up to two pixels closed.
  package func closed() -> RegionMask { grown(by: 1).shrunk(by: 1) }

  /// With every pixel `value` that has one such within `reach` columns and rows.
  private func spread(_ value: Bool, _ reach: Int) -> RegionMask {
    guard size.area > 0 else { return self }
    return spread(value, reach, along: 1, within: size.width).spread(value, reach, along: size.width, within: size.area)
  }

  /// The same for neighbours `step` apart within so many pixels at a time.
  private func spread(_ value: Bool, _ reach: Int, along step: Int, within length: Int) -> RegionMask {
    var result = self
    // As bytes, 1 or 0, whose loops vectorise.
    isSet.withUnsafeBytes { own in
      result.isSet.withUnsafeMutableBytes { result in
        for start in stride(from: 0, to: size.area, by: length) {
          let own = own[start..<start + length]
          let result = result[start..<start + length]
          for distance in stride(from: step, to: min(reach * step + 1, length), by: step) {
            take(own.dropFirst(distance), into: result.dropLast(distance), if: value)
            take(own.dropLast(distance), into: result.dropFirst(distance), if: value)
          }
        }
      }
    }
    return result
  }

  /// Which pixels belong to one region with a pixel, if they are alike.
  package enum Neighbourhood: Sendable {
    /// The four at its sides.
    case sides
    /// Those at most so many columns and rows away.
    case square(Int)
  }

  /// The connected regions of the pixels that are `value`, in the order of their first pixels, each as its pixels'
  /// indices.
  package func regions(of value: Bool, joinedOver neighbourhood: Neighbourhood = .sides) -> [[Int]] {
    var isOpen = isSet.map { $0 == value }
    return isOpen.withUnsafeMutableBufferPointer { isOpen in
      var regions: [[Int]] = []
      for start in isOpen.indices where isOpen[start] {
        isOpen[start] = false
        var region = [start]
        var next = 0
        while next < region.count {
          forEachNeighbour(of: region[next], neighbourhood) { pixel in
            guard isOpen[pixel] else { return }
            isOpen[pixel] = false
            region.append(pixel)
          }
          next += 1
        }
        regions.append(region)
      }
      return regions
    }
  }

  /// Tells of the pixels in a pixel's neighbourhood, row by row or left before right before above; of itself, too, in a square.
  @inline(__always)
  private func forEachNeighbour(of pixel: Int, _ neighbourhood: Neighbourhood, _ body: (Int) -> Void) {
    let (x, y) = (pixel % size.width, pixel / size.width)
    switch neighbourhood {
    case .sides:
      if x > 0 { body(pixel - 1) }
      if x + 1 < size.width { body(pixel + 1) }
      if y > 0 { body(pixel - size.width) }
      if y + 1 < size.height { body(pixel + size.width) }
    case .square(let reach):
      let columns = max(x - reach, 0)...min(x + reach, size.width - 1)
      for v in max(y - reach, 0)...min(y + reach, size.height - 1) {
        for u in columns { body(v &* size.width &+ u) }
      }
    }
  }

  /// Only the regions that `isKept`, with holes of at most `hole` pixels filled.
  package func keeping(
    hole: Int, joinedOver neighbourhood: Neighbourhood = .sides, _ isKept: ([Int]) -> Bool
  ) -> RegionMask {
    var result = RegionMask(size: size)
    for region in regions(of: true, joinedOver: neighbourhood) where isKept(region) {
      for pixel in region { result.isSet[pixel] = true }
    }
    guard hole > 0 else { return result }
    for region in result.regions(of: false) where region.count <= hole {
      for pixel in region { result.isSet[pixel] = true }
    }
    return result
  }

  /// Whether a pixel has a neighbour that is not set.
  package func isAtEdge(_ pixel: Int) -> Bool {
    let (x, y) = (pixel % size.width, pixel / size.width)
    return x > 0 && !isSet[pixel - 1] || x + 1 < size.width && !isSet[pixel + 1]
      || y > 0 && !isSet[pixel - size.width] || y + 1 < size.height && !isSet[pixel + size.width]
  }
}

/// Takes those of other pixels that are `value`.
private func take(
  _ others: Slice<UnsafeRawBufferPointer>, into pixels: Slice<UnsafeMutableRawBufferPointer>, if value: Bool
) {
  let (others, pixels) = (
    UnsafeRawBufferPointer(rebasing: others), UnsafeMutableRawBufferPointer(rebasing: pixels)
  )
  if value {
    for x in 0..<pixels.count { pixels[x] |= others[x] }
  } else {
    for x in 0..<pixels.count { pixels[x] &= others[x] }
  }
}
