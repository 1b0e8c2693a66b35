/// What travels with a picture beside its samples.
public struct Metadata: Sendable, Hashable {
  /// An ICC profile; nil stands for sRGB.
  public var iccProfile: [UInt8]?
  /// Exif without the `Exif\0\0` marker: a TIFF header and its directories.
  public var exif: [UInt8]?
  /// An XMP packet in UTF-8.
  public var xmp: [UInt8]?
  /// IPTC-IIM records.
  public var iptc: [UInt8]?
  /// How the stored picture had to be turned; the frame itself is upright already.
  public var storedOrientation: Orientation
  /// What the file holds beyond the picture.
  public var lost: Set<Loss>

  /// No metadata, but what is given.
  public init(
    iccProfile: [UInt8]? = nil, exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil,
    storedOrientation: Orientation = .up, lost: Set<Loss> = []
  ) {
    self.iccProfile = iccProfile
    self.exif = exif
    self.xmp = xmp
    self.iptc = iptc
    self.storedOrientation = storedOrientation
    self.lost = lost
  }
}
