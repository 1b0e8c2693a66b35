import Frames

/// By how much the median differs from a frame, cell by cell.
struct CellDifferences {
  let pictureSize: Size
  let planes: Int
  /// Whole cells only.
  let columns: Int
  let rows: Int
  /// Means over a cell, row after row, plane after plane.
  private(set) var means: [Float]
  /// Whether the frame shows the cell, unclipped in all colours; row after row.
  private(set) var isShown: [Bool] = []

  /// Every other row of a cell tells as much.
  private static let rowStep = 2

  init(_ candidates: Candidates, _ frame: Int) {
    let (own, median) = (candidates.list[frame], candidates.list[candidates.median])
    pictureSize = candidates.size
    planes = candidates.planeCount
    (columns, rows) = (candidates.size.width / CellGrid.side, candidates.size.height / CellGrid.side)
    means = Array(repeating: 0, count: rows * planes * columns)
    isShown.reserveCapacity(rows * columns)
    let share = 1 / Float(CellGrid.side * CellGrid.side / Self.rowStep)
    var clipped = [UInt8](repeating: 0, count: columns)
    for row in 0..<rows {
      for index in clipped.indices { clipped[index] = 0 }
      var covered = 0..<Int32(candidates.size.width)
      for y in stride(from: row * CellGrid.side, to: (row + 1) * CellGrid.side, by: Self.rowStep) {
        covered = covered.clamped(to: own.coverage[y])
        own.clipped?.withUnsafeRow(y, as: UInt8.self) { Self.raise(&clipped, by: $0) }
        for plane in 0..<planes {
          own.planes[plane].withUnsafeRow(y, as: UInt8.self) { own in
            median.planes[plane].withUnsafeRow(y, as: UInt8.self) { median in
              means.withUnsafeMutableBufferPointer { means in
                let means = UnsafeMutableBufferPointer(rebasing: means[((row * planes + plane) * columns)...])
                for column in 0..<columns {
                  var sum = 0
                  for x in column &* CellGrid.side..<(column &+ 1) &* CellGrid.side {
                    sum &+= Int(median[x]) &- Int(own[x])
                  }
                  means[column] += Float(sum) * share
                }
              }
            }
          }
        }
      }
      for column in 0..<columns {
        let (start, end) = (Int32(column * CellGrid.side), Int32((column + 1) * CellGrid.side))
        isShown.append(
          covered.lowerBound <= start && covered.upperBound >= end && clipped[column] == 0)
      }
    }
  }

  /// Where a cell's mean of a plane stands.
  @inline(__always)
  func place(row: Int, plane: Int, column: Int) -> Int { (row &* planes &+ plane) &* columns &+ column }

  /// The cells that the frame shows and in which it differs from the median by hardly more than fields say, one per
  /// plane; row after row, each with the block of the fields in which it lies.
  @inline(__always)
  func forEachSame(after fields: [BlockField], within reach: Float, _ body: (_ cell: Int, _ block: Int) -> Void) {
    let blocks = fields[0].values.count
    let foretold = fields.flatMap(\.values)
    foretold.withUnsafeBufferPointer { foretold in
      means.withUnsafeBufferPointer { means in
        isShown.withUnsafeBufferPointer { isShown in
          for row in 0..<rows {
            let firstBlock = fields[0].block(x: 0, y: row * CellGrid.side)
            for column in 0..<columns where isShown[row &* columns &+ column] {
              let block = firstBlock &+ column &* CellGrid.side / BlockField.side
              var isSame = true
              for plane in 0..<planes {
                let mean = means[place(row: row, plane: plane, column: column)]
                isSame = isSame && abs(mean - foretold[plane &* blocks &+ block]) <= reach
              }
              if isSame { body(row &* columns &+ column, block) }
            }
          }
        }
      }
    }
  }

  private static func raise(_ largest: inout [UInt8], by row: UnsafeBufferPointer<UInt8>) {
    largest.withUnsafeMutableBufferPointer { largest in
      for column in 0..<largest.count {
        for x in column &* CellGrid.side..<(column &+ 1) &* CellGrid.side {
          largest[column] = max(largest[column], row[x])
        }
      }
    }
  }
}
