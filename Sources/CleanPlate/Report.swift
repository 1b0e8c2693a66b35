public import Frames

/// What was measured and decided, in the form of `report.json`, version 1.
public struct Report: Sendable, Hashable, Codable {
  public var version = 1
  /// Index of the reference.
  public var reference: Int
  /// The reference's size in pixels.
  public var size: Size
  /// The plate's place in the reference.
  public var crop: Region
  public var combine: CombineOperator
  public var align: AlignmentModel
  public var frames: [FrameReport]
  /// Share of the plate's pixels that no frame is known to show clean, 0...1.
  public var unresolved: Double
  /// How many places that are; nil when nobody looked.
  public var unresolvedPlaces: Int?
  /// Seconds per stage.
  public var seconds: [String: Double]

  /// One frame of the burst.
  public struct FrameReport: Sendable, Hashable, Codable {
    public var index: Int
    public var path: String
    /// The frame's size in pixels; nil when it could not be read.
    public var size: Size?
    public var accepted: Bool
    /// Why it was left out, in words.
    public var reason: String?
    /// The same for programs: see `Rejection.code`.
    public var reasonCode: String?
    /// Nine numbers, row-major: frame pixel to reference pixel.
    public var homography: [Double]?
    public var mesh: Mesh?
    public var inliers: Int?
    public var residual: Double?
    public var sharpness: Double?
    /// Per plane.
    public var gain: [Double]?
    /// Per plane, in levels of the frame's depth.
    public var offset: [Double]?

    enum CodingKeys: String, CodingKey {
      case index, path, size, accepted, reason, homography, mesh, inliers, sharpness, gain, offset
      case reasonCode = "reason_code"
      case residual = "residual_px"
    }
  }

  /// A residual mesh: displacements of its nodes in reference pixels.
  public struct Mesh: Sendable, Hashable, Codable {
    public var columns: Int
    public var rows: Int
    public var dx: [Float]
    public var dy: [Float]
  }
}
