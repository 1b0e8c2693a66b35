/// A width and a height in pixels.
public struct Size: Sendable, Hashable, Codable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var area: Int { width * height }
  public var description: String { "\(width)x\(height)" }
  /// The rectangle of this size at the origin.
  public var bounds: Region { Region(x: 0, y: 0, width: width, height: height) }
}
