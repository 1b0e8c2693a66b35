import Frames

/// A block field pixel by pixel, row by row. From one block's centre to the next the numbers of a row lie on one line, whose ends
/// are found once for each row of blocks.
struct BlockFieldRows {
  /// Columns whose numbers lie on one line.
  private let spans: [Range<Int>]
  /// Row of blocks after row of blocks: the numbers at the first pixel of each span, then those at the last.
  private let ends: [Float]
  private let field: BlockField
  /// Of the row at hand.
  private var row: [Float]

  init(_ field: BlockField) {
    self.field = field
    let (half, width) = (BlockField.side / 2, field.pictureSize.width)
    let starts = [0] + stride(from: half, to: max(width, half + 1), by: BlockField.side)
    let spans = starts.filter { $0 < width }.map { start in
      start..<min(start < half ? half : start + BlockField.side, width)
    }
    self.spans = spans
    let pixels = spans.map(\.lowerBound) + spans.map { $0.upperBound - 1 }
    let places = pixels.map { field.place(Float($0), count: field.size.width) }
    ends = (0..<field.size.height).flatMap { row in
      let values = field.values[row * field.size.width..<(row + 1) * field.size.width]
      return places.map { place in
        let (first, next) = (values[values.startIndex + place.index], values[values.startIndex + place.next])
        return first + (next - first) * place.share
      }
    }
    row = Array(repeating: 0, count: pixels.count)
  }

  /// Writes the numbers of a row's pixels.
  mutating func write(row y: Int, into numbers: UnsafeMutableBufferPointer<Float>) {
    let place = field.place(Float(y), count: field.size.height)
    let (upper, lower) = (place.index * row.count, place.next * row.count)
    for index in row.indices {
      row[index] = ends[upper + index] + (ends[lower + index] - ends[upper + index]) * place.share
    }
    for (index, span) in spans.enumerated() {
      let (first, last) = (row[index], row[spans.count + index])
      let step = span.count > 1 ? (last - first) / Float(span.count - 1) : 0
      let target = UnsafeMutableBufferPointer(rebasing: numbers[span])
      for k in 0..<Int32(target.count) { target[Int(k)] = first + step * Float(k) }
    }
  }
}
