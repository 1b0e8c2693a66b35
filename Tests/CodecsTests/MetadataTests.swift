import Foundation
import Frames
import Testing

@testable import Codecs

/// What `exiftool`, the independent reader, finds in a file: tag with group to value.
func exifTool(_ path: String) throws -> [String: String] {
  let json = try Tool("exiftool")("-j", "-G1", "-a", "-n", "-struct", path)
  let objects = try JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]]
  return (objects?.first ?? [:]).mapValues { "\($0)" }
}

/// A JPEG as a phone writes it: EXIF with GPS and a maker's note, XMP, IPTC, a thumbnail, turned by 90 degrees.
func photographWithMetadata(_ folder: TemporaryFolder) throws -> String {
  let frame = try testFrame(96, 64, chroma: PlaneGrid(scaleX: 2, scaleY: 2))
  let path = try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg, strip: true)), to: "photo.jpg")
  let small = try encode(try testFrame(16, 16), options: EncodeOptions(format: .jpeg, strip: true))
  let thumbnail = try folder.write(small, to: "thumb.jpg")
  try Tool("exiftool")(
    "-overwrite_original", "-n", "-Make=Maker", "-Model=Model 1", "-Orientation=6",
    "-DateTimeOriginal=2024:05:06 07:08:09",
    "-ExposureTime=0.01", "-ISO=200", "-FNumber=1.8", "-ExifImageWidth=96", "-ExifImageHeight=64",
    "-GPSLatitude=48.8584", "-GPSLatitudeRef=N", "-GPSLongitude=2.2945", "-GPSLongitudeRef=E", "-GPSAltitude=35",
    "-XMP-dc:Title=Tower", "-XMP-tiff:Orientation=6", "-IPTC:City=Paris", "-IPTC:Keywords=tower",
    "-ThumbnailImage<=\(thumbnail)", path)
  return path
}

@Suite(.enabled(if: Tool.has("exiftool"), "needs libimage-exiftool-perl")) struct MetadataTests {
  @Test(arguments: [ImageFormat.jpeg, .png, .tiff, .webp, .heif, .avif, .jpegXL])
  func whatTheReferenceSaysGoesToThePlate(_ format: ImageFormat) throws {
    let folder = try TemporaryFolder()
    let photo = try decodeFile(try photographWithMetadata(folder))
    #expect(photo.size == Size(width: 64, height: 96))
    let options = EncodeOptions(format: format, software: "cleanplate 1.2", history: "median of 3 frames")
    let plate = try folder.write(try encode(photo, options: options), to: "plate.\(format.rawValue)")
    let tags = try exifTool(plate)
    #expect(tags["IFD0:Make"] == "Maker")
    #expect(tags["IFD0:Model"] == "Model 1")
    #expect(tags["IFD0:Orientation"] == "1")
    #expect(tags["IFD0:Software"] == "cleanplate 1.2")
    #expect(tags["ExifIFD:DateTimeOriginal"] == "2024:05:06 07:08:09")
    #expect(tags["ExifIFD:ExposureTime"] == "0.01")
    #expect(tags["ExifIFD:ExifImageWidth"] == "64")
    #expect(tags["ExifIFD:ExifImageHeight"] == "96")
    #expect(Double(tags["GPS:GPSLatitude"] ?? "").map { abs($0 - 48.8584) < 1e-4 } == true)
    #expect(tags["XMP-dc:Title"] == "Tower")
    #expect(tags["XMP-tiff:Orientation"] == "1")
    #expect(tags["XMP-xmp:CreatorTool"] == "cleanplate 1.2")
    #expect(tags["XMP-xmpMM:History"]?.contains("median of 3 frames") == true)
    #expect(!tags.keys.contains { $0.hasPrefix("IFD1:") })
    if format == .jpeg { #expect(tags["IPTC:City"] == "Paris") }
    #expect(!tags.keys.contains { $0.contains("Warning") || $0.contains("Error") })

    // A plate of plates keeps the first entry of the history.
    let again = try folder.write(
      try encode(try decodeFile(plate), options: EncodeOptions(format: format, history: "second")), to: "again")
    let history = try exifTool(again)["XMP-xmpMM:History"]
    #expect(history?.contains("median of 3 frames") == true && history?.contains("second") == true)
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .tiff, .webp, .heif, .avif, .jpegXL])
  func strippedPlatesSayNothingButThatTheyArePlates(_ format: ImageFormat) throws {
    let folder = try TemporaryFolder()
    let photo = try decodeFile(try photographWithMetadata(folder))
    for history in [nil, "median of secret.jpg"] {
      let options = EncodeOptions(format: format, software: "cleanplate 1.2", history: history, strip: true)
      let tags = try exifTool(try folder.write(try encode(photo, options: options), to: "plate"))
      let groups = Set(tags.keys.compactMap { $0.split(separator: ":").first.map(String.init) })
      // A TIFF file's own directory bears the name of Exif's first.
      #expect(format == .tiff || !groups.contains("IFD0"))
      #expect(groups.isDisjoint(with: ["ExifIFD", "GPS", "XMP-dc", "XMP-xmp", "XMP-tiff", "IPTC", "MakerNotes"]))
      let mark = tags.filter { $0.key.hasPrefix("XMP-xmpMM:") }
      #expect(mark.keys.sorted() == (history == nil ? [] : ["XMP-xmpMM:History"]), "\(mark)")
      #expect(!tags.values.contains { $0.contains("secret") })
    }
  }

  /// Who was seen where in the reference: he may be gone, and the place is another's once the plate is turned and cut.
  @Test(arguments: [ImageFormat.jpeg, .tiff, .heif]) func placesInTheReferenceDoNotGoToThePlate(_ format: ImageFormat)
    throws
  {
    let folder = try TemporaryFolder()
    let photo = try photographWithMetadata(folder)
    let face = "Name=Anna,Type=Face,Area={X=0.5,Y=0.4,W=0.1,H=0.2,Unit=normalized}"
    let rectangle = "RegionBoundary={RbShape=rectangle,RbUnit=relative,RbX=0.1,RbY=0.1,RbW=0.2,RbH=0.2}"
    try Tool("exiftool")(
      "-overwrite_original", "-n", "-SubjectArea=40 30 10 10", "-SubjectLocation=40 30",
      "-XMP-mwg-rs:RegionInfo={AppliedToDimensions={W=96,H=64,Unit=pixel},RegionList=[{\(face)}]}",
      "-XMP-MP:RegionInfoMP={Regions=[{PersonDisplayName=Anna}]}",
      "-XMP-iptcExt:ImageRegion={Name=Anna,\(rectangle)}", "-XMP-dc:Subject=Anna", "-XMP-crs:HasCrop=True",
      "-XMP-crs:CropLeft=0.2", "-XMP-crs:RetouchInfo=here", "-XMP-crs:Exposure2012=+0.5", photo)
    let options = EncodeOptions(format: format, history: "median of 3 frames")
    let tags = try exifTool(try folder.write(try encode(try decodeFile(photo), options: options), to: "plate"))
    #expect(
      !tags.keys.contains { $0.contains("Region") || $0.contains("SubjectArea") || $0.contains("SubjectLoc") },
      "\(tags)")
    #expect(!tags.keys.contains { $0.contains("Crop") || $0.contains("Retouch") }, "\(tags)")
    #expect(tags["XMP-dc:Subject"]?.contains("Anna") == true && tags["XMP-dc:Title"] == "Tower")
    #expect(tags["XMP-crs:Exposure2012"] != nil)
  }

  /// By which catalogues know the reference.
  @Test func numbersOfTheReferenceDoNotGoToThePlate() throws {
    let folder = try TemporaryFolder()
    let photo = try photographWithMetadata(folder)
    try Tool("exiftool")(
      "-overwrite_original", "-ImageUniqueID=0123456789abcdef0123456789abcdef", "-XMP-xmpMM:DocumentID=xmp.did:1",
      "-XMP-xmpMM:InstanceID=xmp.iid:1", "-XMP-xmpMM:OriginalDocumentID=xmp.did:0", photo)
    let options = EncodeOptions(format: .jpeg, history: "median of 3 frames")
    let tags = try exifTool(try folder.write(try encode(try decodeFile(photo), options: options), to: "plate"))
    #expect(
      !tags.values.contains { $0.contains("0123456789abcdef") || $0 == "xmp.did:1" || $0 == "xmp.iid:1" }, "\(tags)")
    #expect(tags["XMP-xmpMM:OriginalDocumentID"] == "xmp.did:0")
  }

  /// A JPEG holds 64 KB of Exif, and must not lose the date for the sake of what is long.
  @Test func theLargestTagsGoWhereAllDoNotFit() throws {
    let folder = try TemporaryFolder()
    let photo = try folder.write(
      try encode(try testFrame(32, 32), options: EncodeOptions(format: .tiff, strip: true)), to: "photo.tif")
    let long = String(repeating: "a", count: 18_000)
    try Tool("exiftool")(
      "-overwrite_original", "-DateTimeOriginal=2024:05:06 07:08:09", "-ImageDescription=\(long)", "-Copyright=\(long)",
      "-UserComment=\(long)", "-Artist=\(long)", photo)
    for (format, holdsAll) in [(ImageFormat.jpeg, false), (.png, true)] {
      let plate = try encode(try decodeFile(photo), options: EncodeOptions(format: format))
      let tags = try exifTool(try folder.write(plate, to: "plate"))
      #expect(tags["ExifIFD:DateTimeOriginal"] == "2024:05:06 07:08:09")
      #expect((tags["IFD0:Artist"] == long) == holdsAll)
    }
  }

  /// A JPEG holds 64 KB of XMP, and an editor's list of what a file came from may be longer: it goes, and nothing else.
  @Test(arguments: [1, 5000]) func theLargestPropertiesGoWhereAllDoNotFit(frames: Int) throws {
    let folder = try TemporaryFolder()
    let photo = try folder.write(
      try encode(try testFrame(32, 32), options: EncodeOptions(format: .tiff, strip: true)), to: "photo.tif")
    let ancestors = (0..<3000).map { "-XMP-photoshop:DocumentAncestors=xmp.did:\($0 + 1_000_000_000)" }
    _ = try folder.write(Array((["-XMP-dc:Title=Tower"] + ancestors).joined(separator: "\n").utf8), to: "arguments")
    try Tool("exiftool")("-overwrite_original", "-@", folder("arguments"), photo)
    let names = Array(repeating: "a photo's name.jpg", count: frames).joined(separator: ", ")
    for (format, holdsAll) in [(ImageFormat.jpeg, false), (.png, true)] {
      let options = EncodeOptions(format: format, software: "cleanplate 1.2", history: names)
      let plate = try encode(try decodeFile(photo), options: options)
      let metadata = try decode(plate, name: "plate").metadata
      #expect(metadata.isPlate)
      let tags = try exifTool(try folder.write(plate, to: "plate"))
      #expect((tags["XMP-photoshop:DocumentAncestors"] != nil) == holdsAll)
      #expect((tags["XMP-dc:Title"] == "Tower") == (holdsAll || frames == 1))
    }
  }

  /// Not ours to judge, but ours to survive.
  @Test func brokenBlocksAreLeftOut() throws {
    let noise = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ $0 >> 3) }
    let exif: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0xFF, 0xFF] + noise
    let metadata = Metadata(exif: exif, xmp: Array("<x:xmpmeta".utf8) + noise, iptc: [0x1C, 2, 5, 0xFF, 0xFF] + noise)
    let frame = try testFrame(16, 16, metadata: metadata)
    for format in [ImageFormat.jpeg, .png, .tiff, .webp, .heif, .avif, .jpegXL] {
      _ = try decode(try encode(frame, options: EncodeOptions(format: format, history: "h")), name: "a")
    }
  }
}
