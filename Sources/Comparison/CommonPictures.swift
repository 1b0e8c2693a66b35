import Codecs
import Frames

/// Sample units of a 16-bit sample in one level of 255.
let unitsPerLevel = 257.0

/// Both pictures as 16-bit R'G'B', in which every 8-bit sample is a whole number of levels.
/// - Throws: `ComparisonError`.
func commonPictures(_ a: Frame, _ b: Frame) throws(ComparisonError) -> (Frame, Frame) {
  guard a.size == b.size else { throw .differentSizes(a.size, b.size) }
  let layout = PixelLayout(encoding: .rgb, bits: 16)
  do {
    return (try a.converted(to: layout), try b.converted(to: layout))
  } catch {
    throw .allocation(error)
  }
}

/// Gives `body` the absolute differences of each row: those of red, then of green, then of blue.
func forEachRow(_ a: Frame, _ b: Frame, _ body: (UnsafeBufferPointer<Int32>) -> Void) {
  let width = a.size.width
  withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * width) { differences in
    for y in 0..<a.size.height {
      for channel in 0..<3 {
        let row = differences.baseAddress! + channel * width
        a.planes[channel].withUnsafeRow(y, as: UInt16.self) { first in
          b.planes[channel].withUnsafeRow(y, as: UInt16.self) { second in
            for x in 0..<width { row[x] = abs(Int32(first[x]) - Int32(second[x])) }
          }
        }
      }
      body(UnsafeBufferPointer(differences))
    }
  }
}
