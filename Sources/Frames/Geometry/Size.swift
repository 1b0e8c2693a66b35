/// A width and a height in pixels.
public struct Size: Sendable, Hashable, Codable, CustomStringConvertible {
  /// In pixels.
  public var width: Int
  /// In pixels.
  public var height: Int

  /// So many pixels wide and high.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Width times height.
  public var area: Int { width * height }
  /// Such as `640x480`.
  public var description: String { "\(width)x\(height)" }
  /// The rectangle of this size at the origin.
  public var bounds: Region { Region(x: 0, y: 0, width: width, height: height) }
}
