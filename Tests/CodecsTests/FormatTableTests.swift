import Foundation
import Frames
import Testing

@testable import Codecs

/// `docs/FORMATS.md` says what each format can do; here every cell of its first table is found out and compared.
@Suite(.enabled(if: Tool.has("exiftool"), "needs libimage-exiftool-perl")) struct FormatTableTests {
  static let document: String = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    return (try? String(contentsOf: root.appendingPathComponent("docs/FORMATS.md"), encoding: .utf8)) ?? ""
  }()

  @Test(arguments: ImageFormat.allCases) func theTableTellsTheTruth(_ format: ImageFormat) throws {
    let row = format == .raw ? try rawRow() : try row(format)
    #expect(Self.document.contains("| \(row.joined(separator: " | ")) |"), "\(row)")
  }

  private func mark(_ isKept: Bool) -> String { isKept ? "yes" : "no" }

  /// Name, read, written, bits, profile, EXIF, GPS, orientation.
  private func row(_ format: ImageFormat) throws -> [String] {
    let folder = try TemporaryFolder()
    let photo = try decodeFile(try photographWithMetadata(folder))
    var metadata = photo.metadata
    metadata.iccProfile = ColourTests.p3
    let frame = Frame(
      planes: photo.planes, grids: photo.grids, encoding: photo.encoding, name: "photo", metadata: metadata)
    let bytes = try encode(frame, options: EncodeOptions(format: format))
    let back = try decode(bytes, name: "plate")
    let tags = try exifTool(try folder.write(bytes, to: "plate.\(format.rawValue)"))
    let again = try exifTool(
      try folder.write(try encode(back, options: EncodeOptions(format: .jpeg)), to: "again.jpg"))
    // Kept means written so that others see it, and read so that the next plate has it.
    func kept(_ tag: String) -> Bool { tags[tag] != nil && tags[tag] == again[tag] }
    return [
      format.rawValue, mark(ImageFormat.sniff(bytes) == format), "yes", try depths(format),
      try profile(format, frame), mark(kept("ExifIFD:ExposureTime")),
      mark(kept("GPS:GPSLatitude")),
      try orientation(format, folder),
    ]
  }

  private func profile(_ format: ImageFormat, _ frame: Frame) throws -> String {
    func isKept(_ quality: Int) throws -> Bool {
      let bytes = try encode(frame, options: EncodeOptions(format: format, quality: quality))
      return try decode(bytes, name: "x").metadata.iccProfile == ColourTests.p3
    }
    return try isKept(95) ? "yes" : try isKept(100) ? "lossless only" : "no"
  }

  private func depths(_ format: ImageFormat) throws -> String {
    var depths = Set<Int>()
    for bits in [8, 10, 12, 16] {
      let frame = try testFrame(16, 16, bits: bits, encoding: .rgb)
      depths.insert(try decode(try encode(frame, options: EncodeOptions(format: format)), name: "x").bits)
    }
    return depths.sorted().map(String.init).joined(separator: ", ")
  }

  /// Whether a picture that is stored lying comes out standing, and by whose word.
  private func orientation(_ format: ImageFormat, _ folder: TemporaryFolder) throws -> String {
    let frame = try testFrame(40, 24, encoding: .rgb)
    let path = try folder.write(
      try encode(frame, options: EncodeOptions(format: format)), to: "lying.\(format.rawValue)")
    try Tool("exiftool")("-overwrite_original", "-n", "-IFD0:Orientation=6", path)
    return try decodeFile(path).size.width == 24 ? "EXIF" : "the file's own"
  }

  private func rawRow() throws -> [String] {
    let folder = try TemporaryFolder()
    let size = Size(width: 64, height: 32)
    let dng = try folder.write(makeDNG(size, linear: (0.4, 0.4, 0.4), orientation: 6), to: "a.dng")
    try Tool("exiftool")("-overwrite_original", "-n", "-ExposureTime=0.02", "-GPSLatitude=48", "-GPSLatitudeRef=N", dng)
    let frame = try decodeFile(dng)
    let tags = try exifTool(
      try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg)), to: "plate.jpg"))
    return [
      "raw", "yes", mark((try? encode(frame, options: EncodeOptions(format: .raw))) != nil), "\(frame.bits)",
      frame.metadata.iccProfile == nil ? "becomes sRGB" : "yes", mark(tags["ExifIFD:ExposureTime"] == "0.02"),
      mark(tags["GPS:GPSLatitude"] != nil), frame.size.height == 64 ? "EXIF" : "no",
    ]
  }
}
