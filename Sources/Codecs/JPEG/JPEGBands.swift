import Frames

/// A picture cut into bands of whole rows of MCUs (ITU-T T.81, 3.1.83), which can be compressed each on its own: a
/// restart marker between two of them makes the decoder begin anew.
struct JPEGBands: Equatable {
  /// What a band holds, in pixels, rounded up to whole rows of MCUs: for 12 megapixels about twenty, enough to
  /// keep processors busy to the end, for 46 bytes of markers.
  static let pixels = 1 << 19

  /// Of the picture.
  let size: Size
  /// Of every band but the last, which may be lower, in rows of luma.
  let height: Int
  /// MCUs between two restart markers, at most 65 535 when there are several bands.
  let restartInterval: Int

  /// - Parameters:
  ///   - size: of the picture.
  ///   - unit: of an MCU, in pixels.
  ///   - pixels: of a band, at least. Whatever depends on it changes the bytes that are written, so it must not depend
  ///     on the number of threads.
  init(size: Size, unit: Size, pixels: Int = JPEGBands.pixels) {
    self.size = size
    let unitsInRow = size.width.dividedUp(by: unit.width)
    let wanted = pixels.dividedUp(by: size.width * unit.height)
    let rows = max(1, min(wanted, 0xFFFF / unitsInRow))
    height = rows * unit.height
    restartInterval = rows * unitsInRow
  }

  var count: Int { size.height.dividedUp(by: height) }

  /// The rows of luma of a band.
  subscript(index: Int) -> Range<Int> {
    index * height..<min((index + 1) * height, size.height)
  }
}

extension Int {
  func dividedUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
