import FileBuilding
import Frames
import Testing

@testable import Codecs

/// What files hold beyond the picture is told.
@Suite struct LossTests {
  @Test(arguments: ImageFormat.allCases.filter { $0 != .raw }) func ordinaryPicturesLoseNothing(_ format: ImageFormat)
    throws
  {
    let bytes = try encode(try testFrame(32, 32), options: EncodeOptions(format: format))
    #expect(try decode(bytes, name: "x").metadata.lost == [])
  }

  /// A picture with alpha: opaque but for a corner.
  /// - Parameters:
  ///   - corner: pixels along its sides.
  ///   - lacking: what its alpha lacks; nil for all.
  private func pictureWithAlpha(
    _ options: EncodeOptions, bits: Int = 8, corner: Int, lacking: Int? = nil
  ) throws -> [UInt8] {
    let opaque = (1 << bits) - 1
    let alpha = try Plane(width: 32, height: 24, bits: bits) { x, y in
      x >= 32 - corner && y >= 24 - corner ? opaque - (lacking ?? opaque) : opaque
    }
    return try encode(try testFrame(32, 24, bits: bits, encoding: .rgb), alpha: alpha, options: options)
  }

  /// What another program has aligned is black and transparent where the photo did not reach.
  @Test(arguments: [
    (ImageFormat.png, 8, 100), (.png, 16, 100), (.tiff, 8, 100), (.tiff, 16, 100), (.webp, 8, 100), (.webp, 8, 90),
  ]) func transparencyIsTold(format: ImageFormat, bits: Int, quality: Int) throws {
    let options = EncodeOptions(format: format, quality: quality)
    for corner in [0, 1] {
      let bytes = try pictureWithAlpha(options, bits: bits, corner: corner, lacking: 1)
      #expect(try decode(bytes, name: "x").metadata.lost == (corner > 0 ? [.transparency] : []))
    }
  }

  /// One colour stands for transparent, and samples stay what they are.
  @Test(arguments: [PixelEncoding.rgb, .grey(.full)], [8, 16]) func transparentColoursOfPNGAreTold(
    encoding: PixelEncoding, bits: Int
  ) throws {
    let frame = try testFrame(32, 24, bits: bits, encoding: encoding)
    let png = try encode(frame, options: EncodeOptions(format: .png, strip: true))
    for isThere in [false, true] {
      // No sample is 0.
      let colour = frame.planes.flatMap { Box.short(isThere ? UInt16($0[31, 23]) : 0) }
      var file = png
      file.insert(contentsOf: PNGChunk.make("tRNS", colour), at: 8 + 25)
      let read = try decode(file, name: "x")
      #expect(read.metadata.lost == (isThere ? [.transparency] : []))
      #expect(try largestDifference(read, decode(png, name: "x")) == 0)
    }
  }

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick")) func transparentColoursOfPalettesAreTold() throws
  {
    for corner in [0, 8] {
      let folder = try TemporaryFolder()
      let picture = try pictureWithAlpha(EncodeOptions(format: .png), corner: corner)
      try Tool(Tool.imageMagick)(try folder.write(picture, to: "a.png"), "-colors", "16", "PNG8:\(folder("b.png"))")
      #expect(try decodeFile(folder("b.png")).metadata.lost == (corner > 0 ? [.transparency] : []))
    }
  }

  /// By other programs, in formats and ways in which we write none.
  @Test(
    .enabled(if: Tool.has(Tool.imageMagick, "heif-enc", "cjxl"), "needs imagemagick, libheif-examples, libjxl-tools"),
    arguments: ["a.tif", "a.heic", "a.avif", "a.jxl"]) func transparencyByOthersIsTold(name: String) throws
  {
    for corner in [0, 8] {
      let folder = try TemporaryFolder()
      let picture = try pictureWithAlpha(EncodeOptions(format: .png), corner: corner)
      let (from, to) = (try folder.write(picture, to: "a.png"), folder(name))
      switch name {
      case "a.tif": try Tool(Tool.imageMagick)(from, "-interlace", "plane", to)
      case "a.heic": try Tool("heif-enc")("-q", "90", "-o", to, from)
      case "a.avif": try Tool("heif-enc")("-A", "-q", "90", "-o", to, from)
      default: try Tool("cjxl")("-d", "0", from, to)
      }
      #expect(try decodeFile(to).metadata.lost == (corner > 0 ? [.transparency] : []))
    }
  }

  @Test(arguments: [
    #"<rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"/>"#,
    #"<rdf:Description HDRGainMap:HDRGainMapVersion="65536"/>"#,
  ])
  func gainMapsOfJPEG(_ xmp: String) throws {
    var bytes = try encode(try testFrame(32, 32), options: EncodeOptions(format: .jpeg, strip: true))
    let segment = Array(JPEGMarkers.xmpName.utf8) + Array(xmp.utf8)
    bytes.insert(contentsOf: [0xFF, 0xE1] + Box.short(UInt16(segment.count + 2)) + segment, at: 2)
    #expect(try decode(bytes, name: "x").metadata.lost == [.gainMap])
  }

  @Test func gainMapsOfJPEGByTheStandard() throws {
    var bytes = try encode(try testFrame(32, 32), options: EncodeOptions(format: .jpeg, strip: true))
    let segment = Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0, 0, 0, 0]
    bytes.insert(contentsOf: [0xFF, 0xE2] + Box.short(UInt16(segment.count + 2)) + segment, at: 2)
    #expect(try decode(bytes, name: "x").metadata.lost == [.gainMap])
  }

  @Test(arguments: [ImageFormat.heif, .avif]) func gainMapsOfHEIF(_ format: ImageFormat) throws {
    let options = EncodeOptions(format: format, strip: true)
    let picture = try #require(CodedPicture(file: try encode(try testFrame(64, 64), options: options)))
    let map = try #require(
      CodedPicture(file: try encode(try testFrame(32, 32, encoding: .grey(.full)), options: options)))
    let kind = Array("urn:com:apple:photo:2020:aux:hdrgainmap".utf8) + [0]
    let file = HEIFFile(
      brands: picture.brands, primary: 1,
      properties: [
        picture.configuration, Box.size(64, 64), map.configuration, Box.size(32, 32), Box.full("auxC", kind),
      ],
      items: [
        .init(1, picture.type, picture.data, properties: [0, 1]), .init(2, map.type, map.data, properties: [2, 3, 4]),
      ],
      references: [.init("auxl", from: 2, to: [1])])
    #expect(try decode(file.bytes, name: "x").metadata.lost == [.gainMap])
  }

  /// Colours that a PNG names by number, as `ffmpeg` does in frames of a phone's video, are no loss.
  @Test func coloursNamedByNumberAreKept() throws {
    func named(_ encoding: PixelEncoding, _ primaries: UInt8) throws -> Metadata {
      var png = try encode(try testFrame(32, 32, encoding: encoding), options: EncodeOptions(format: .png, strip: true))
      png.insert(contentsOf: PNGChunk.make("cICP", [primaries, 13, 0, 1]), at: 8 + 25)
      return try decode(png, name: "x").metadata
    }
    #expect(try named(.rgb, 12).iccProfile == ColourTests.p3)
    #expect(try named(.rgb, 12).lost == [])
    #expect(try named(.rgb, 1).iccProfile == nil)
    #expect(try named(.grey(.full), 12).iccProfile == nil)
  }

  @Test(arguments: [16, 18]) func highDynamicRangeOfPictures(_ transfer: UInt8) throws {
    var png = try encode(try testFrame(32, 32, encoding: .rgb), options: EncodeOptions(format: .png, strip: true))
    png.insert(contentsOf: PNGChunk.make("cICP", [9, transfer, 0, 1]), at: 8 + 25)
    #expect(try decode(png, name: "x").metadata.lost == [.highDynamicRange])
    let options = EncodeOptions(format: .heif, strip: true)
    let picture = try #require(CodedPicture(file: try encode(try testFrame(64, 64), options: options)))
    let colours = Box.make("colr", Array("nclx".utf8), [0, 9, 0, transfer, 0, 9, 0x80])
    let file = HEIFFile(
      brands: picture.brands, primary: 1, properties: [picture.configuration, Box.size(64, 64), colours],
      items: [.init(1, picture.type, picture.data, properties: [0, 1, 2])])
    #expect(try decode(file.bytes, name: "x").metadata.lost == [.highDynamicRange])
  }

  @Test(.enabled(if: Tool.has("ffmpeg"), "needs ffmpeg")) func furtherFramesOfAnAnimation() throws {
    let folder = try TemporaryFolder()
    for (suffix, codec) in [("apng", "apng"), ("webp", "libwebp_anim")] {
      let path = folder("a.\(suffix)")
      try Tool("ffmpeg")(
        "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=0.8", "-plays", "0", "-c:v", codec, path)
      #expect(try decodeFile(path).metadata.lost == [.furtherPictures], "\(suffix)")
    }
  }

  @Test(.enabled(if: Tool.has(Tool.imageMagick, "heif-enc"), "needs imagemagick and libheif-examples"))
  func furtherPagesAndPictures() throws {
    let folder = try TemporaryFolder()
    let paths = try (0..<3).map { index in
      try folder.write(
        try encode(try testFrame(64, 48 + 0 * index, encoding: .rgb), options: EncodeOptions(format: .png)),
        to: "\(index).png")
    }
    try Tool(Tool.imageMagick)(paths[0], paths[1], paths[2], "-depth", "8", folder("a.tif"))
    try Tool("heif-enc")("-o", folder("a.heic"), paths[0], paths[1], paths[2])
    for name in ["a.tif", "a.heic"] {
      let bytes = try readFile(folder(name))
      #expect(try decode(bytes, name: name).metadata.lost == [.furtherPictures], "\(name)")
      // Who asks for one of them knows of the others.
      #expect(try decode(bytes, name: name, picture: 1).metadata.lost == [], "\(name)")
    }
  }

  @Test(.enabled(if: Tool.has("cjxl", "ffmpeg"), "needs libjxl-tools and ffmpeg")) func furtherFramesOfJPEGXL() throws {
    let folder = try TemporaryFolder()
    try Tool("ffmpeg")("-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=0.8", "-c:v", "apng", folder("a.apng"))
    try Tool("cjxl")(folder("a.apng"), folder("a.jxl"))
    #expect(try decodeFile(folder("a.jxl")).metadata.lost == [.furtherPictures])
  }

  @Test func probesTellHighDynamicRange() throws {
    for (transfer, lost) in [
      ("smpte2084", Set([Loss.highDynamicRange])), ("arib-std-b67", [.highDynamicRange]), ("bt709", []),
    ] {
      let probe = try #require(VideoProbe(output: "pix_fmt=yuv420p10le\ncolor_transfer=\(transfer)\n"))
      #expect(probe.metadata.lost == lost)
    }
    #expect(VideoProbe(output: "duration=3\n") == nil)
  }

  /// Containers may claim anything.
  @Test(arguments: ["3001e99900/1001", "1e999/1e999", "5/0", "-25/-1", "nan/1", "1e-320/1e300"])
  func ratesThatAreNoneAreUnknown(_ rate: String) throws {
    let probe = try #require(VideoProbe(output: "pix_fmt=gray\navg_frame_rate=\(rate)\nnb_frames=-5\nduration=2\n"))
    #expect(probe.rate == nil && probe.frames == nil)
  }

  @Test(arguments: [1, 2, 3, 7]) func jpegXLIsWrittenOnTheThreadsThatAreAllowed(_ threads: Int) throws {
    let frame = try testFrame(700, 500, encoding: .rgb)
    let one = try encode(frame, options: EncodeOptions(format: .jpegXL, threads: 1))
    #expect(try encode(frame, options: EncodeOptions(format: .jpegXL, threads: threads)) == one)
    // The caller waits for workers, and works itself when there are none.
    #expect(JPEGXLEncoder.workers(threads: threads) == (threads == 1 ? 0 : threads))
  }

  @Test(arguments: ImageFormat.allCases.filter { $0 != .raw }) func depthsAreThoseThatAreWritten(_ format: ImageFormat)
    throws
  {
    for bits in [8, 10, 12, 16] {
      let frame = try testFrame(32, 32, bits: bits, encoding: .rgb)
      let written = try decode(try encode(frame, options: EncodeOptions(format: format)), name: "x").bits
      #expect(written == format.depths.first { $0 >= bits } ?? format.depths.last)
    }
  }
}
