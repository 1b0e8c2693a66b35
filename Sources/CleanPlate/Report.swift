public import Frames

/// What was measured and decided, in the form of `report.json`, version 1.
public struct Report: Sendable, Hashable, Codable {
  /// Of the form, 1.
  public var version = 1
  /// Index of the reference.
  public var reference: Int
  /// The reference's size in pixels.
  public var size: Size
  /// The plate's place in the reference.
  public var crop: Region
  /// How samples became one, and which motions were expected.
  public var combine: CombineOperator
  public var align: AlignmentModel
  /// One per input, in their order.
  public var frames: [FrameReport]
  /// Share of the plate's pixels that no frame is known to show clean, 0...1.
  public var unresolved: Double
  /// How many places that are; nil when nobody looked.
  public var unresolvedPlaces: Int?
  /// Seconds per stage.
  public var seconds: [String: Double]

  /// One frame of the burst.
  public struct FrameReport: Sendable, Hashable, Codable {
    /// Its place in the burst, from 0.
    public var index: Int
    /// The file's path, or the name that the caller gave. Bytes that are no UTF-8 are U+FFFD here, as JSON is Unicode.
    public var path: String
    /// The bytes of such a path, in Base64; nil where `path` says all.
    public var pathBase64: String?
    /// The SHA-256 of the file's bytes in hexadecimal digits; nil when it could not be read, for frames
    /// without one, and unless `Options.digests` asks for it.
    public var digest: String?
    /// The frame's size in pixels; nil when it could not be read.
    public var size: Size?
    /// Whether it took part.
    public var accepted: Bool
    /// Why it was left out, in words.
    public var reason: String?
    /// The same for programs: see `Rejection.code`.
    public var reasonCode: String?
    /// Nine numbers, row-major: frame pixel to reference pixel.
    public var homography: [Double]?
    /// What follows the homography; nil for none.
    public var mesh: Mesh?
    /// Points that agree with the homography.
    public var inliers: Int?
    /// Root mean square distance of those points once mapped, in reference pixels.
    public var residual: Double?
    /// Variance of the Laplacian of downscaled luma, in levels squared.
    public var sharpness: Double?
    /// Per plane, what the frame's samples are multiplied by to match the reference.
    public var gain: [Double]?
    /// Per plane, what is then added, in levels of the frame's depth.
    public var offset: [Double]?

    enum CodingKeys: String, CodingKey {
      case index, path, digest, size, accepted, reason, homography, mesh, inliers, sharpness, gain, offset
      case pathBase64 = "path_base64"
      case reasonCode = "reason_code"
      case residual = "residual_px"
    }
  }

  /// A residual mesh: displacements of its nodes in reference pixels.
  public struct Mesh: Sendable, Hashable, Codable {
    /// How many nodes lie side by side, and one above another.
    public var columns: Int
    public var rows: Int
    /// To the right and down, row by row.
    public var dx: [Float]
    public var dy: [Float]
  }
}
