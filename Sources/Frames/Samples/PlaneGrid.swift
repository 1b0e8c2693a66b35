/// Where a plane's samples sit among the luma pixels: sample i lies at luma coordinate `scale * i + offset`,
/// along each axis.
///
/// Subsampled chroma is centred between luma pixels in JPEG (scale 2, offset 0.5) and level with the left one
/// in most video (offset 0 along x). Turning a picture changes the offsets, so they travel with the frame.
public struct PlaneGrid: Sendable, Hashable {
  /// Luma pixels from one sample to the next, along a row.
  public var scaleX: Int
  /// The same along a column.
  public var scaleY: Int
  /// The first sample's place, in luma pixels.
  public var offsetX: Double
  /// The same along a column.
  public var offsetY: Double

  /// The grid of luma, and of every plane that is not subsampled.
  public static let full = PlaneGrid(scaleX: 1, scaleY: 1)

  /// A grid whose samples are centred on the luma pixels that they stand for, as in JPEG.
  public init(scaleX: Int, scaleY: Int) {
    self.init(
      scaleX: scaleX, scaleY: scaleY, offsetX: Double(scaleX - 1) / 2, offsetY: Double(scaleY - 1) / 2)
  }

  /// A grid of these scales and offsets.
  public init(scaleX: Int, scaleY: Int, offsetX: Double, offsetY: Double) {
    self.scaleX = scaleX
    self.scaleY = scaleY
    self.offsetX = offsetX
    self.offsetY = offsetY
  }

  /// The size of a plane on this grid for a picture of `size`.
  public func planeSize(for size: Size) -> Size {
    Size(width: (size.width + scaleX - 1) / scaleX, height: (size.height + scaleY - 1) / scaleY)
  }
}

extension PlaneGrid {
  /// The plane's part of a tile of luma pixels whose origin is a multiple of the scales.
  package func tile(_ luma: Region) -> Region {
    let size = planeSize(for: luma.size)
    return Region(x: luma.x / scaleX, y: luma.y / scaleY, width: size.width, height: size.height)
  }
}
