import Foundation
import Frames
import Testing

@testable import Codecs

@Suite struct PictureSeriesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Distinct pictures of one size, as PNG files.
  func pictures(_ count: Int, _ size: Size = Size(width: 64, height: 48)) throws -> [(path: String, frame: Frame)] {
    try (0..<count).map { index in
      let whole = try testFrame(size.width + 8 * count, size.height, encoding: .rgb)
      let planes = try whole.planes.map { plane in
        try Plane(width: size.width, height: size.height) { x, y in plane[x + 8 * index, y] }
      }
      let frame = Frame(planes: planes, encoding: .rgb, name: "\(index)")
      let name = "\(size.width)-\(index).png"
      return (try folder.write(try encode(frame, options: EncodeOptions(format: .png)), to: name), frame)
    }
  }

  func series(_ path: String) throws -> PictureSeries? { try PictureSeries.find(in: try readFile(path), name: path) }

  @Test(arguments: ImageFormat.allCases.filter { $0 != .raw }) func singlePicturesAreNoSeries(_ format: ImageFormat)
    throws
  {
    let bytes = try encode(try testFrame(32, 32), options: EncodeOptions(format: format))
    #expect(try PictureSeries.find(in: bytes, name: "x") == nil)
  }

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick")) func pagesOfOneSizeAreFrames() throws {
    let pages = try pictures(3)
    let small = try pictures(1, Size(width: 16, height: 12))[0]
    let path = folder("pages.tif")
    try Tool(Tool.imageMagick)(pages[0].path, small.path, pages[1].path, pages[2].path, "-depth", "8", path)
    #expect(try series(path) == .pictures(count: 3))
    let bytes = try readFile(path)
    for (index, page) in pages.enumerated() {
      #expect(largestDifference(try decode(bytes, name: path, picture: index), page.frame) == 0)
    }
    #expect(largestDifference(try decode(bytes, name: path), pages[0].frame) == 0)
    #expect(throws: CodecError.self) { try decode(bytes, name: path, picture: 3) }
  }

  /// A palette, which is read with 8 bits, says nothing about the depth of the next page.
  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick")) func deeperPagesAreNoFrames() throws {
    let path = folder("pages.tif")
    try Tool("sh")(
      "-c",
      """
      \(Tool.imageMagick) -size 50x40 plasma: -colors 16 -type Palette -depth 8 \(folder("1.tif"))
      \(Tool.imageMagick) -size 50x40 plasma: -type TrueColor -depth 16 \(folder("2.tif"))
      \(Tool.imageMagick) \(folder("1.tif")) \(folder("2.tif")) \(path)
      """)
    #expect(try series(path) == nil)
  }

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick")) func aBrokenChainOfPagesIsDamage() throws {
    let pages = try pictures(3)
    let path = folder("pages.tif")
    try Tool(Tool.imageMagick)(pages[0].path, pages[1].path, pages[2].path, "-compress", "none", path)
    // Every directory follows its samples.
    let bytes = Array(try readFile(path).dropLast(2000))
    #expect(throws: CodecError.self) { try PictureSeries.find(in: bytes, name: path) }
    let tolerant = DecodeOptions(acceptsDamaged: true)
    #expect(try PictureSeries.find(in: bytes, name: path, options: tolerant) == .pictures(count: 2))
  }

  @Test(.enabled(if: Tool.has("heif-enc"), "needs libheif-examples"), arguments: ["heic", "avif"])
  func picturesOfACollectionAreFrames(_ suffix: String) throws {
    let pictures = try pictures(3)
    let small = try self.pictures(1, Size(width: 32, height: 32))[0]
    let path = folder("collection.\(suffix)")
    let arguments = [pictures[0].path, small.path, pictures[1].path, pictures[2].path]
    try Tool("heif-enc")("-q", "95", "-o", path, arguments[0], arguments[1], arguments[2], arguments[3])
    #expect(try series(path) == .pictures(count: 3))
    let bytes = try readFile(path)
    for (index, picture) in pictures.enumerated() {
      let frame = try decode(bytes, name: path, picture: index).asRGB()
      #expect(meanDifference(frame, picture.frame) < 2)
    }
    #expect(throws: CodecError.self) { try decode(bytes, name: path, picture: 3) }
  }

  @Test(.enabled(if: Tool.has("img2webp"), "needs webp")) func framesOfAnAnimationComeAsTheyAreShown() throws {
    let pictures = try pictures(3)
    let path = folder("animation.webp")
    try Tool("img2webp")(
      "-lossless", "-d", "250", pictures[0].path, pictures[1].path, pictures[2].path, "-o", path)
    #expect(try series(path) == .animation)
    let bytes = try readFile(path)
    let animation = try WebPAnimation(bytes, name: "a")
    #expect(animation.rate == 4 && animation.expectedCount == 3)
    for (index, picture) in pictures.enumerated() {
      let frame = try #require(try animation.next())
      #expect(largestDifference(frame, picture.frame) == 0)
      #expect(frame.name == "a at 0.\(["00", "25", "50"][index]) s")
    }
    #expect(try animation.next() == nil)
    #expect(throws: CodecError.self) { try WebPAnimation(Array(bytes.dropLast(40)), name: "a") }
    let few = DecodeOptions(limits: DecodeLimits(maximumDimension: 60))
    #expect(throws: CodecError.self) { try WebPAnimation(bytes, name: "a", options: few) }
  }

  @Test(.enabled(if: Tool.has("ffmpeg"), "needs ffmpeg")) func imageSequencesAreVideo() throws {
    _ = try pictures(3)
    let path = folder("sequence.avif")
    try Tool("ffmpeg")(
      "-framerate", "5", "-i", folder("64-%d.png"), "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "10", path)
    #expect(try series(path) == .track)
    let frames = try chooseFrames(from: FFmpegReader(path: path), FrameChoice())
    #expect(frames.count == 3)
    #expect(frames[0].size == Size(width: 64, height: 48))
  }
}
