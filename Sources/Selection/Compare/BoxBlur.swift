import Frames

/// Three passes of a box each way, which come close to a Gaussian (Wells, IEEE PAMI 8(2), 1986); beyond the border
/// there is nothing.
struct BoxBlur {
  let size: Size
  private let radius: Int

  /// - Parameter deviation: the Gaussian's.
  init(size: Size, deviation: Float) {
    self.size = size
    // Three boxes of 2 r + 1 have the variance (2 r + 1)^2 / 4, less a quarter.
    radius = max(1, Int(((4 * deviation * deviation + 1).squareRoot() - 1) / 2 + 0.5))
  }

  func callAsFunction(_ values: [Float]) -> [Float] {
    var values = values
    for _ in 0..<3 {
      let across = blurred(transposed(values, columns: size.width), columns: size.height)
      values = blurred(transposed(across, columns: size.height), columns: size.width)
    }
    return values
  }

  private func transposed(_ values: [Float], columns: Int) -> [Float] {
    let rows = values.count / columns
    return Array(unsafeUninitializedCapacity: values.count) { result, count in
      for column in 0..<columns {
        for row in 0..<rows {
          result.initializeElement(at: column &* rows &+ row, to: values[row &* columns &+ column])
        }
      }
      count = values.count
    }
  }

  /// One pass along the columns, all of which are worked on at once: along rows, sums would have to wait for each other.
  private func blurred(_ values: [Float], columns: Int) -> [Float] {
    let rows = values.count / columns
    let share = 1 / Float(2 * radius + 1)
    var sums = [Float](repeating: 0, count: columns)
    return values.withUnsafeBufferPointer { values in
      sums.withUnsafeMutableBufferPointer { sums in
        func add(row: Int, times factor: Float) {
          for column in 0..<columns { sums[column] += factor * values[row &* columns &+ column] }
        }
        for row in 0..<min(radius, rows) { add(row: row, times: 1) }
        return Array(unsafeUninitializedCapacity: values.count) { result, count in
          for row in 0..<rows {
            if row + radius < rows { add(row: row + radius, times: 1) }
            for column in 0..<columns {
              result.initializeElement(at: row &* columns &+ column, to: sums[column] * share)
            }
            if row >= radius { add(row: row - radius, times: -1) }
          }
          count = values.count
        }
      }
    }
  }
}
