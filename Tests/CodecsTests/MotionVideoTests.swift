import Foundation
import Frames
import SystemPackage
import Testing

@testable import Codecs

/// Where phones put the video of a photo, in files of a few hundred bytes.
struct MotionVideoTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Boxes of an MP4 without samples.
  static let film = box("ftyp", Array("mp42\0\0\0\0mp42isom".utf8)) + box("mdat", [7, 7, 7]) + box("moov", [])

  static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(8 + body.count).bigEndian, Array.init) + Array(type.utf8) + body
  }

  /// A JPEG with this packet, and something behind it.
  private func photo(xmp: String, then trailer: [UInt8]) throws -> [UInt8] {
    let plain = try encode(testFrame(32, 32), options: EncodeOptions(format: .jpeg, strip: true))
    let packet = Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>\(xmp)</x:xmpmeta>".utf8)
    let segment = [0xFF, 0xE1, UInt8((packet.count + 2) >> 8), UInt8((packet.count + 2) & 0xFF)] + packet
    return Array(plain.prefix(2)) + segment + plain.dropFirst(2) + trailer
  }

  private func find(_ bytes: [UInt8], path: FilePath = "photo.jpg") throws -> MotionVideo? {
    MotionVideo(of: path, bytes, metadata: try readMetadata(bytes, name: "photo"))
  }

  /// One `li` for each medium: what it is, and its bytes.
  private static func directory(_ items: [(semantic: String, length: Int)], asElements: Bool) -> String {
    let rows = items.map { item in
      asElements
        ? """
        <rdf:li rdf:parseType="Resource"><Container:Item rdf:parseType="Resource"><Item:Length>\(item.length)</Item:Length>
        <Item:Semantic>\(item.semantic)</Item:Semantic></Container:Item></rdf:li>
        """
        : """
        <rdf:li rdf:parseType='Resource'><Container:Item Item:Mime="a/b" Item:Semantic="\(item.semantic)"
          Item:Length = '\(item.length)' Item:Padding="0"/></rdf:li>
        """
    }
    return "<GCamera:MotionPhoto>1</GCamera:MotionPhoto><Container:Directory>\(rows.joined())</Container:Directory>"
  }

  @Test func microVideosLieSoManyBytesBeforeTheEnd() throws {
    let bytes = try photo(
      xmp: #"<a GCamera:MicroVideo="1" GCamera:MicroVideoOffset="\#(Self.film.count)"/>"#, then: Self.film)
    #expect(try find(bytes) == .inside(bytes.count - Self.film.count..<bytes.count))
    // A photo is a photo with a video behind it.
    #expect(try decode(bytes, name: "photo").size == Size(width: 32, height: 32))
  }

  @Test(arguments: [false, true]) func motionPhotosHaveADirectory(asElements: Bool) throws {
    let gain = [UInt8](repeating: 5, count: 40)
    for (items, trailer, start) in [
      ([("Primary", 0), ("MotionPhoto", Self.film.count)], Self.film, 0),
      ([("Primary", 0), ("GainMap", 40), ("MotionPhoto", Self.film.count)], gain + Self.film, 40),
      ([("Primary", 0), ("MotionPhoto", Self.film.count), ("GainMap", 40)], Self.film + gain, 0),
    ] {
      let bytes = try photo(xmp: Self.directory(items, asElements: asElements), then: trailer)
      let from = bytes.count - trailer.count + start
      #expect(try find(bytes) == .inside(from..<from + Self.film.count), "\(items)")
    }
  }

  @Test func samsungsTrailerIsKnownByItsWord() throws {
    let mark = Array("MotionPhoto_Data".utf8)
    let bytes = try photo(
      xmp: "", then: mark + [1, 2, 3] + mark + Self.film + [0, 0, 1, 2, 0xFF, 0] + Array("SEFT".utf8))
    let start = bytes.count - Self.film.count - 10
    #expect(try find(bytes) == .inside(start..<start + Self.film.count))
    let path = FilePath(try folder.write(bytes, to: "samsung.jpg"))
    #expect(MotionVideo.isLikely(of: path, metadata: Metadata()))
  }

  @Test func heicHasABoxForIt() throws {
    let frame = try testFrame(64, 64)
    let bytes = try encode(frame, options: EncodeOptions(format: .heif)) + Self.box("mpvd", Self.film)
    #expect(try find(bytes) == .inside(bytes.count - Self.film.count..<bytes.count))
    #expect(try decode(bytes, name: "photo").size == frame.size)
    let path = FilePath(try folder.write(bytes, to: "photo.heic"))
    #expect(MotionVideo.isLikely(of: path, metadata: Metadata()))
  }

  @Test func whatOnlyClaimsAVideoHasNone() throws {
    for xmp in [
      #"<a GCamera:MicroVideoOffset="9999999"/>"#, #"<a GCamera:MicroVideoOffset="99999999999999999999"/>"#,
      #"<a GCamera:MicroVideoOffset="-5"/>"#, #"<a GCamera:MicroVideoOffset="#, #"<a GCamera:MicroVideoOffset="7"/>"#,
      Self.directory([("MotionPhoto", 999_999_999_999), ("MotionPhoto", 999_999_999_999)], asElements: false),
      Self.directory([("MotionPhoto", 0)], asElements: true),
    ] {
      #expect(try find(try photo(xmp: xmp, then: Self.film)) == nil, "\(xmp)")
    }
    // A film without its table is none, and neither is a picture.
    for trailer in [Array(Self.film.dropLast(8)), try encode(testFrame(32, 32), options: EncodeOptions(format: .heif))]
    {
      let bytes = try photo(xmp: #"<a GCamera:MicroVideoOffset="\#(trailer.count)"/>"#, then: trailer)
      #expect(try find(bytes) == nil)
    }
    #expect(!MotionVideo.isLikely(of: "/nonexistent/none.jpg", metadata: Metadata()))
  }

  /// Exif as an iPhone writes it, with a maker's note that names the pair.
  private func exif(identifier: String) -> [UInt8] {
    let text = Array(identifier.utf8) + [0]
    let note =
      Array("Apple iOS\0\0\u{1}MM".utf8) + [0, 2] + [0, 1, 0, 9, 0, 0, 0, 1, 0, 0, 0, 9]
      + [0, 0x11, 0, 2, 0, 0, 0, UInt8(text.count), 0, 0, 0, 44] + [0, 0, 0, 0] + text
    return ExifBlock(exif: [0x927C: .bytes(note)]).bytes
  }

  /// A film whose metadata have this identifier in second place.
  private func film(identifier: String, isQuickTime: Bool) -> [UInt8] {
    let names = ["com.apple.quicktime.make", "com.apple.quicktime.content.identifier"]
    let keys = Self.box("keys", [0, 0, 0, 0, 0, 0, 0, 2] + names.flatMap { Self.box("mdta", Array($0.utf8)) })
    let values = [(1, "Maker"), (2, identifier)].flatMap { number, text in
      let data = Self.box("data", [0, 0, 0, 1, 0, 0, 0, 0] + Array(text.utf8))
      return withUnsafeBytes(of: UInt32(8 + data.count).bigEndian, Array.init) + [0, 0, 0, UInt8(number)] + data
    }
    let version: [UInt8] = isQuickTime ? [] : [0, 0, 0, 0]
    return Self.box("ftyp", Array("qt  \0\0\0\0qt  ".utf8))
      + Self.box("moov", Self.box("meta", version + keys + Self.box("ilst", values)))
  }

  @Test(arguments: [false, true]) func livePhotosBelongTogetherByTheirIdentifier(isQuickTime: Bool) throws {
    let frame = try testFrame(32, 32, metadata: Metadata(exif: exif(identifier: "6F2B-77")))
    let bytes = try encode(frame, options: EncodeOptions(format: .jpeg))
    let path = FilePath(try folder.write(bytes, to: "IMG_1.JPG"))
    #expect(try find(bytes, path: path) == nil)
    let video = FilePath(try folder.write(film(identifier: "6F2B-78", isQuickTime: isQuickTime), to: "IMG_1.MOV"))
    #expect(try find(bytes, path: path) == nil)
    #expect(MotionVideo.files(beside: path) == [video])
    _ = try folder.write(film(identifier: "6F2B-77", isQuickTime: isQuickTime), to: "IMG_1.MOV")
    #expect(try find(bytes, path: path) == .beside(video))
    #expect(MotionVideo.isLikely(of: path, metadata: Metadata()))
  }

  @Test func brokenFilmsAndNotesNameNothing() throws {
    let whole = film(identifier: "6F2B-77", isQuickTime: true)
    for count in stride(from: 0, to: whole.count, by: 3) {
      let path = FilePath(try folder.write(Array(whole.prefix(count)), to: "cut.mov"))
      #expect(AppleIdentifier.ofVideo(path) == nil)
    }
    let note = exif(identifier: "6F2B-77")
    for count in stride(from: 0, to: note.count - 2, by: 3) {
      _ = AppleIdentifier.ofPhoto(exif: Array(note.prefix(count)))
    }
    #expect(AppleIdentifier.ofPhoto(exif: note) == "6F2B-77")
  }

  /// Whatever bytes a name is made of.
  @Test func videosLieBesidePhotosOfAnyName() throws {
    let folder = try TemporaryFolder()
    let stem = Array(folder("").utf8) + [0x61, 0xFF, 0x2E]
    func path(_ suffix: String) throws -> FilePath {
      try (stem + Array(suffix.utf8) + [0]).withUnsafeBufferPointer { bytes in
        try bytes.withMemoryRebound(to: CChar.self) { try #require($0.baseAddress.map(FilePath.init(platformString:))) }
      }
    }
    let video = try path("MOV")
    let made = video.withPlatformString { open($0, O_CREAT | O_WRONLY, 0o600) }
    try #require(made >= 0)
    close(made)
    #expect(MotionVideo.files(beside: try path("HEIC")) == [video])
  }
}
