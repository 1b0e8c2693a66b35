public import Frames

/// What was measured and decided, in the form of `report.json`, version 2, which `docs/report.schema.json` describes.
public struct Report: Sendable, Hashable, Codable {
  /// Of the form, 2. Version 1 had no `program`, `options` and `detector`, and is still read.
  public var version = 2
  /// The program and its version; nil in reports of version 1.
  public var program: String?
  /// Index of the reference.
  public var reference: Int
  /// The reference's size in pixels.
  public var size: Size
  /// The plate's place in the reference.
  public var crop: Region
  /// How samples became one, and which motions were expected.
  public var combine: CombineOperator
  /// Which motions were expected.
  public var align: AlignmentModel
  /// What else was chosen; nil in reports of version 1.
  public var options: Choices?
  /// The weights of the detector that told where people stand; nil where none did.
  public var detector: DetectorFile?
  /// One per input, in their order.
  public var frames: [FrameReport]
  /// Share of the plate's pixels that no frame is known to show clean, 0...1.
  public var unresolved: Double
  /// How many places that are; nil when nobody looked.
  public var unresolvedPlaces: Int?
  /// Seconds per stage.
  public var seconds: [String: Double]

  enum CodingKeys: String, CodingKey {
    case version, program, reference, size, crop, combine, align, options, detector, frames, unresolved, seconds
    case unresolvedPlaces = "unresolved_places"
  }

  /// The options, beside `combine` and `align`, that decide what a plate looks like.
  public struct Choices: Sendable, Hashable, Codable {
    /// `auto`, a frame's number or its name.
    public var reference: String
    /// What the plate was to show.
    public var crop: CropMode
    /// Whether a residual mesh might follow homographies.
    public var mesh: Bool
    /// `auto`, `off` or a path.
    public var detector: String
    /// What a person knew better; nil for nothing.
    public var edits: PlateEdits.Document?
    /// Bits in which samples were at least combined, 8...16; nil for the frames' own.
    public var bits: Int?
    /// Whether files that are truncated took part.
    public var acceptsDamaged: Bool
    /// Whether an earlier report stood in for registration.
    public var reusesAlignment: Bool
    /// True for a photo and its video; nil otherwise.
    public var motion: Bool?

    enum CodingKeys: String, CodingKey {
      case reference, crop, mesh, detector, edits, bits, motion
      case acceptsDamaged = "accepts_damaged"
      case reusesAlignment = "reuses_alignment"
    }
  }

  /// A detector's files.
  public struct DetectorFile: Sendable, Hashable, Codable {
    /// Bytes that are no UTF-8 are U+FFFD.
    public var path: String
    /// Their SHA-256 in hexadecimal digits; nil for weights that were named, unless `Options.digests` asks for it.
    public var digest: String?
    /// The network that found people alone; nil where there was none.
    public var peoplePath: String?
    /// Its SHA-256, as `digest`.
    public var peopleDigest: String?
    /// The network that outlined people; nil where there was none.
    public var outlinesPath: String?
    /// Its SHA-256, as `digest`.
    public var outlinesDigest: String?

    enum CodingKeys: String, CodingKey {
      case path, digest
      case peoplePath = "people_path"
      case peopleDigest = "people_digest"
      case outlinesPath = "outlines_path"
      case outlinesDigest = "outlines_digest"
    }
  }

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
    /// Whether the picture repeats itself, so that motions by whole periods explain it as well: the frame may lie periods off.
    /// Nil for no.
    public var isSmallestOfEqual: Bool?
    /// Whether so little of the picture agrees that people may have led the frame astray, and other frames could not tell.
    /// Nil for no.
    public var isUnsure: Bool?
    /// Variance of the Laplacian of downscaled luma, in levels squared.
    public var sharpness: Double?
    /// What the frame's red, green and blue are multiplied by first, where its white balance is far from the reference's; nil
    /// for nothing.
    public var whiteBalance: [Double]?
    /// Per plane, what the frame's samples are multiplied by to match the reference.
    public var gain: [Double]?
    /// Per plane, what is then added, in levels of the frame's depth.
    public var offset: [Double]?

    enum CodingKeys: String, CodingKey {
      case index, path, digest, size, accepted, reason, homography, mesh, inliers, sharpness, gain, offset
      case pathBase64 = "path_base64"
      case reasonCode = "reason_code"
      case whiteBalance = "white_balance"
      case residual = "residual_px"
      case isSmallestOfEqual = "smallest_of_equal"
      case isUnsure = "unsure"
    }
  }

  /// A residual mesh: displacements of its nodes in reference pixels.
  public struct Mesh: Sendable, Hashable, Codable {
    /// How many nodes lie side by side.
    public var columns: Int
    /// How many lie one above another.
    public var rows: Int
    /// To the right, row by row.
    public var dx: [Float]
    /// Downwards, likewise.
    public var dy: [Float]
  }
}
