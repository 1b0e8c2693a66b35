/// The brightest of red, green and blue at some pixels of a row.
package struct BrightestColours: Sendable {
  private let frame: Frame
  /// Of Y'CbCr; nil where planes are colours.
  private let decoding: YCbCrDecoding?
  private let scales: [CodeScale]
  /// By plane, which samples of its rows are read.
  private let columns: [[Int]]
  /// What they stand for, by plane.
  private var samples: [[Double]]
  /// Of the row that was read last; white is 1.
  package private(set) var values: [Double]

  /// - Parameter columns: of the frame.
  package init(of frame: Frame, columns: [Int]) {
    self.frame = frame
    if case .yCbCr(let matrix, _) = frame.encoding { decoding = matrix.decoding } else { decoding = nil }
    scales = frame.planes.indices.map { CodeScale(encoding: frame.encoding, plane: $0, bits: frame.bits) }
    self.columns = zip(frame.planes, frame.grids).map { plane, grid in
      columns.map { min($0 / grid.scaleX, plane.width - 1) }
    }
    values = Array(repeating: 0, count: columns.count)
    samples = Array(repeating: values, count: frame.planes.count)
  }

  package mutating func read(row y: Int) {
    for plane in samples.indices {
      if frame.bits > 8 {
        read(plane, row: y, as: UInt16.self)
      } else {
        read(plane, row: y, as: UInt8.self)
      }
    }
    guard samples.count == 3 else {
      values = samples[0]
      return
    }
    samples[0].withUnsafeBufferPointer { first in
      samples[1].withUnsafeBufferPointer { second in
        samples[2].withUnsafeBufferPointer { third in
          values.withUnsafeMutableBufferPointer { values in
            guard let decoding else {
              for place in values.indices { values[place] = max(first[place], second[place], third[place]) }
              return
            }
            for place in values.indices {
              let (red, green, blue) = decoding(first[place], second[place], third[place])
              values[place] = max(red, green, blue)
            }
          }
        }
      }
    }
  }

  private mutating func read<S: Sample>(_ index: Int, row y: Int, as type: S.Type) {
    let (plane, scale, columns) = (frame.planes[index], scales[index], columns[index])
    plane.withUnsafeRow(min(y / frame.grids[index].scaleY, plane.height - 1), as: S.self) { row in
      samples[index].withUnsafeMutableBufferPointer { samples in
        for place in samples.indices { samples[place] = scale.value(Double(row[columns[place]])) }
      }
    }
  }
}
