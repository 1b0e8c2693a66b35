import CHeif
import Frames
import Testing

@testable import Codecs

@Suite struct HEIFTests {
  static let sizes = [Size(width: 64, height: 64), Size(width: 130, height: 97), Size(width: 17, height: 13)]
  static let grids = [PlaneGrid.full, PlaneGrid(scaleX: 2, scaleY: 1), PlaneGrid(scaleX: 2, scaleY: 2)]

  @Test(arguments: [ImageFormat.heif, .avif], grids) func planesSurvive(_ format: ImageFormat, _ chroma: PlaneGrid)
    throws
  {
    for size in Self.sizes {
      for bits in [8, 10, 12] {
        let depth = format == .avif && bits == 10 ? 12 : bits
        let frame = try testFrame(size.width, size.height, bits: bits, encoding: .rgb).converted(
          to: PixelLayout(encoding: .yCbCr(.bt601, .full), bits: bits, grids: [.full, chroma, chroma]))
        let bytes = try encode(frame, options: EncodeOptions(format: format, quality: 100))
        let back = try decode(bytes, name: "x")
        #expect(back.size == size && back.bits == depth)
        #expect(back.encoding == frame.encoding)
        #expect(largestDifference(try frame.converted(to: back.layout), back) <= 4 << (depth - 8), "\(size) \(bits)")
        #expect(
          try readHeader(bytes, name: "x")
            == PictureHeader(format: format, storedSize: size, bits: depth, orientation: .up))
      }
    }
  }

  /// libheif's way through R, G, B gives the coded planes back, for colours that R, G, B has.
  @Test(arguments: [8, 10, 12]) func codedPlanesComeBack(bits: Int) throws {
    let chroma = PlaneGrid(scaleX: 2, scaleY: 2)
    let frame = try testFrame(128, 96, bits: bits, encoding: .rgb).converted(
      to: PixelLayout(encoding: .yCbCr(.bt601, .full), bits: bits, grids: [.full, chroma, chroma]))
    var encoder = HEIFEncoder(options: EncodeOptions(format: .heif))
    encoder.isLossless = true
    let back = try decode(try encoder.encode(frame, Metadata()), name: "x")
    #expect(back.layout == frame.layout)
    #expect(largestDifference(back, frame) <= 1)
    #expect(meanDifference(back, frame) < 0.01)
  }

  @Test(arguments: [ImageFormat.heif, .avif], [YCbCrMatrix.bt601, .bt709, .bt2020])
  func everyMatrixAndRangeComesOutRight(_ format: ImageFormat, _ matrix: YCbCrMatrix) throws {
    let picture = try testFrame(64, 48, encoding: .rgb)
    for range in [SampleRange.full, .limited] {
      let frame = try picture.converted(to: PixelLayout(encoding: .yCbCr(matrix, range), bits: 10))
      let back = try decode(try encode(frame, options: EncodeOptions(format: format, quality: 100)), name: "x")
      #expect(back.encoding == .yCbCr(.bt601, .full))
      #expect(largestDifference(try back.asRGB(bits: 8), picture) <= 3)
    }
  }

  @Test(arguments: [ImageFormat.heif, .avif]) func greyStaysGrey(_ format: ImageFormat) throws {
    let frame = try testFrame(66, 50, encoding: .grey(.full))
    let back = try decode(try encode(frame, options: EncodeOptions(format: format, quality: 100)), name: "x")
    #expect(back.encoding == .grey(.full))
    #expect(largestDifference(frame, back) <= 3)
  }

  /// The file's own property turns the picture; Exif, which repeats it, must not turn it again.
  @Test(arguments: [ImageFormat.heif, .avif]) func orientationIsAppliedOnce(_ format: ImageFormat) throws {
    let frame = try testFrame(64, 32, encoding: .rgb)
    let exif: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
    let encoder = HEIFEncoder(
      options: EncodeOptions(format: format, quality: 100), orientation: heif_orientation_rotate_90_cw)
    let back = try decode(try encoder.encode(frame, Metadata(exif: exif)), name: "x")
    #expect(back.metadata.exif == exif)
    #expect(back.size == Size(width: 32, height: 64))
    #expect(meanDifference(try back.asRGB(), try frame.oriented(.rotated90)) < 3)
  }

  /// The program reads what we write, in the right colours.
  @Test(.enabled(if: Tool.has("heif-convert"), "needs libheif-examples"), arguments: [ImageFormat.heif, .avif])
  func othersReadWhatWeWrite(_ format: ImageFormat) throws {
    let folder = try TemporaryFolder()
    let frame = try testFrame(64, 48, encoding: .rgb)
    let path = try folder.write(
      try encode(frame, options: EncodeOptions(format: format, quality: 100)), to: "a.\(format.rawValue)")
    try Tool("heif-convert")(path, folder("a.png"))
    #expect(largestDifference(try decodeFile(folder("a.png")), try frame.asRGB()) <= 4)
  }
}

/// Pictures that may not be copied into the project; where they are missing the tests say that they were skipped.
@Suite(.enabled(if: SharedData.exists, "needs \(SharedData.folder)")) struct SharedPictureTests {
  @Test(arguments: ["Landscape", "Portrait"]) func allOrientationsComeOutAlike(_ name: String) throws {
    let first = try decodeFile("\(SharedData.folder)/orientation/\(name)_1.jpg")
    for number in 0...8 {
      let frame = try decodeFile("\(SharedData.folder)/orientation/\(name)_\(number).jpg")
      #expect(frame.size == first.size)
      let layout = PixelLayout(encoding: .rgb, bits: 8)
      #expect(meanDifference(try frame.converted(to: layout), try first.converted(to: layout)) < 4, "\(number)")
    }
  }

  @Test(arguments: [
    ("RGB_8__128x128", 8, "RGB_8__128x128"), ("RGB_10__128x128", 10, "RGB_16__128x128"),
    ("RGB_12__128x128", 12, "RGB_16__128x128"),
  ])
  func deepPicturesMatchTheirTruth(_ picture: (name: String, bits: Int, truth: String)) throws {
    let ours = try decodeFile("\(SharedData.folder)/heif/\(picture.name).heif")
    let truth = try decodeFile("\(SharedData.folder)/heif/\(picture.truth).truth.png")
    #expect(ours.bits == picture.bits)
    #expect(meanDifference(try ours.asRGB(), try truth.asRGB(bits: picture.bits)) < 1)
  }

  @Test(arguments: ["corrupted", "empty", "truncated"]) func brokenPicturesAreRefused(_ name: String) throws {
    #expect(throws: CodecError.self) { try decodeFile("\(SharedData.folder)/heif/\(name).heic") }
  }

  @Test(arguments: ["pug", "zPug_3"]) func phonePicturesAreRead(_ name: String) throws {
    let frame = try decodeFile("\(SharedData.folder)/heif/\(name).heic")
    #expect(frame.size.area > 1000)
  }

  @Test(.enabled(if: Tool.has("exiftool"), "needs libimage-exiftool-perl")) func makersNotesSurvive() throws {
    let folder = try TemporaryFolder()
    let name = "\(SharedData.folder)/heif/pug.heic"
    let phone = try exifTool(name)
    let frame = try decodeFile(name)
    for format in [ImageFormat.jpeg, .tiff] {
      let plate = try exifTool(try folder.write(try encode(frame, options: EncodeOptions(format: format)), to: "plate"))
      // SemanticStyle is a dictionary, which exiftool prints in an order of the moment.
      let notes = phone.filter { $0.key.hasPrefix("Apple:") && $0.key != "Apple:SemanticStyle" }
      #expect(notes.count > 10)
      let lost = notes.keys.filter { plate[$0] != notes[$0] }
      #expect(lost.isEmpty, "\(format)")
      #expect(plate["ExifIFD:LensModel"] == phone["ExifIFD:LensModel"])
    }
  }
}

enum SharedData {
  static let folder = "/work/shared/data/formats"
  static var exists: Bool { (try? readFile("\(folder)/heif/pug.heic")) != nil }
}
