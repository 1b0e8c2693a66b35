public import Frames

/// What a file may claim before anything is allocated for it.
public struct DecodeLimits: Sendable, Hashable {
  /// Largest width and height, in pixels.
  public var maximumDimension: Int
  /// Largest product of width and height.
  public var maximumPixels: Int
  /// Most pictures of a file; what comes after them is passed over.
  public var maximumPictures: Int
  /// Largest ICC profile, in bytes.
  public var maximumProfileBytes: Int
  /// Largest block of EXIF, XMP or IPTC, in bytes; larger ones are left out.
  public var maximumMetadataBytes: Int

  /// Limits that no camera reaches, unless others are given.
  public init(
    maximumDimension: Int = 65_500, maximumPixels: Int = 500_000_000, maximumPictures: Int = 10_000,
    maximumProfileBytes: Int = 16 << 20, maximumMetadataBytes: Int = 16 << 20
  ) {
    self.maximumDimension = maximumDimension
    self.maximumPixels = maximumPixels
    self.maximumPictures = maximumPictures
    self.maximumProfileBytes = maximumProfileBytes
    self.maximumMetadataBytes = maximumMetadataBytes
  }

  /// Whether a picture of this size may be decoded.
  public func allow(_ size: Size) -> Bool {
    size.width > 0 && size.height > 0 && size.width <= maximumDimension && size.height <= maximumDimension
      && size.area <= maximumPixels
  }
}

/// How pictures are read.
public struct DecodeOptions: Sendable {
  /// What a file may claim.
  public var limits: DecodeLimits
  /// Take what a damaged file still shows instead of refusing it.
  public var acceptsDamaged: Bool
  /// Bounds the memory that the planes take; nil always takes memory.
  public var budget: MemoryBudget?
  /// For RAW files; nil takes each file's own, which is right for single pictures only.
  package var rawWhiteBalance: RAWWhiteBalance?

  /// Whole files only, without a bound on memory, unless otherwise given.
  public init(limits: DecodeLimits = DecodeLimits(), acceptsDamaged: Bool = false, budget: MemoryBudget? = nil) {
    self.init(limits: limits, acceptsDamaged: acceptsDamaged, budget: budget, rawWhiteBalance: nil)
  }

  package init(
    limits: DecodeLimits = DecodeLimits(), acceptsDamaged: Bool = false, budget: MemoryBudget? = nil,
    rawWhiteBalance: RAWWhiteBalance?
  ) {
    self.limits = limits
    self.acceptsDamaged = acceptsDamaged
    self.budget = budget
    self.rawWhiteBalance = rawWhiteBalance
  }
}

/// What a file's header says, before any pixel is decoded.
public struct PictureHeader: Sendable, Hashable {
  /// The format, by content.
  public var format: ImageFormat
  /// As stored, before `orientation` is applied.
  public var storedSize: Size
  /// Significant bits of a sample that the decoded frame will have.
  public var bits: Int
  /// How the stored picture must be turned to be upright.
  public var orientation: Orientation

  /// The size of the decoded, upright frame.
  public var size: Size { storedSize.oriented(orientation) }
}
