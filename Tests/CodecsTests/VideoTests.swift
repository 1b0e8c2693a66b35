import Foundation
import Frames
import SystemPackage
import Testing

@testable import Codecs

/// A stream as `ffmpeg` would write it.
func y4m(_ frames: [Frame], chroma: String, extra: String = "") -> [UInt8] {
  let size = frames[0].size
  var bytes = Array("YUV4MPEG2 W\(size.width) H\(size.height) F25:1 Ip A1:1 C\(chroma)\(extra)\n".utf8)
  for frame in frames {
    bytes += Array("FRAME\n".utf8)
    for plane in frame.planes {
      for y in 0..<plane.height {
        for x in 0..<plane.width {
          bytes.append(UInt8(plane[x, y] & 0xFF))
          if plane.bits > 8 { bytes.append(UInt8(plane[x, y] >> 8)) }
        }
      }
    }
  }
  return bytes
}

/// Reads a stream of bytes through a file.
func readY4M(_ bytes: [UInt8], options: DecodeOptions = DecodeOptions()) throws -> [Frame] {
  let folder = try TemporaryFolder()
  let path = try folder.write(bytes, to: "a.y4m")
  let file = try #require(FileHandle(forReadingAtPath: path))
  let reader = try Y4MReader(descriptor: file.fileDescriptor, name: "a", options: options)
  var frames: [Frame] = []
  while let frame = try reader.next() { frames.append(frame) }
  return frames
}

/// Frames that another hand made.
final class StoredFrames: FrameSource {
  let rate = 10.0
  let expectedCount: Int?
  private var frames: ArraySlice<Frame>

  init(_ frames: [Frame], tellsCount: Bool) {
    self.frames = frames[...]
    expectedCount = tellsCount ? frames.count : nil
  }

  func next() throws(CodecError) -> Frame? { frames.popFirst() }
}

@Suite struct VideoTests {
  static let chromas: [(String, PixelEncoding, Int, PlaneGrid)] = [
    ("420jpeg", .yCbCr(.bt601, .limited), 8, PlaneGrid(scaleX: 2, scaleY: 2)),
    ("420mpeg2", .yCbCr(.bt601, .limited), 8, PlaneGrid(scaleX: 2, scaleY: 2, offsetX: 0, offsetY: 0.5)),
    ("420paldv", .yCbCr(.bt601, .limited), 8, PlaneGrid(scaleX: 2, scaleY: 2, offsetX: 0, offsetY: 0)),
    ("422", .yCbCr(.bt601, .limited), 8, PlaneGrid(scaleX: 2, scaleY: 1, offsetX: 0, offsetY: 0)),
    ("444", .yCbCr(.bt601, .limited), 8, .full), ("mono", .grey(.limited), 8, .full),
    ("420p10", .yCbCr(.bt601, .limited), 10, PlaneGrid(scaleX: 2, scaleY: 2)),
    ("444p12", .yCbCr(.bt601, .limited), 12, .full), ("mono16", .grey(.limited), 16, .full),
  ]

  @Test(arguments: 0..<chromas.count) func planesComeAsTheyAre(_ index: Int) throws {
    let (chroma, encoding, bits, grid) = Self.chromas[index]
    let base = try testFrame(33, 21, bits: bits, encoding: encoding, chroma: grid)
    let frames = [base, try base.oriented(.up)]
    // What the size of the odd picture's chroma is, mjpegtools and we agree on.
    let back = try readY4M(y4m(frames, chroma: chroma == "420p10" ? "420p10" : chroma))
    #expect(back.count == 2)
    #expect(back.allSatisfy { largestDifference($0, base) == 0 })
    #expect(back[1].name == "a at 0.04 s")
  }

  @Test func rangeAndMatrixAreRead() throws {
    let small = try testFrame(16, 16)
    #expect(try readY4M(y4m([small], chroma: "444", extra: " XCOLORRANGE=FULL"))[0].encoding == .yCbCr(.bt601, .full))
    let large = try testFrame(1280, 16)
    #expect(try readY4M(y4m([large], chroma: "444"))[0].encoding == .yCbCr(.bt709, .limited))
  }

  /// They are taken as they come, so that the plate is wider or narrower than what was filmed.
  @Test func pixelsThatAreNotSquareAreTold() throws {
    let frame = try testFrame(16, 16)
    for (aspect, lost) in [("A1:1", []), ("A0:0", []), ("A4:4", []), ("", []), ("A16:15", Set([Loss.pixelAspect]))] {
      #expect(try readY4M(y4m([frame], chroma: "444", extra: " \(aspect)"))[0].metadata.lost == lost, "\(aspect)")
    }
  }

  @Test func brokenStreamsAreRefused() throws {
    let whole = y4m([try testFrame(16, 16)], chroma: "444")
    #expect(throws: CodecError.empty(name: "a")) { try readY4M([]) }
    #expect(throws: CodecError.unrecognized(name: "a")) { try readY4M(Array("RIFF".utf8)) }
    #expect(throws: CodecError.unrecognized(name: "a")) { try readY4M([UInt8](repeating: 65, count: 5000)) }
    #expect(throws: CodecError.damaged(name: "a", detail: "it ends within frame 0")) {
      try readY4M(whole.dropLast(1) + [])
    }
    #expect(try readY4M(whole.dropLast(1) + [], options: DecodeOptions(acceptsDamaged: true)).isEmpty)
    #expect(throws: CodecError.damaged(name: "a", detail: "frame 1 does not begin where it should")) {
      try readY4M(whole + [1, 2, 3])
    }
    for header in [
      "W100000 H5", "W9223372036854775807 H9223372036854775807", "W0 H5", "H5", "W16 H16 C410", "W16 H16 It",
    ] {
      #expect(throws: CodecError.self) { try readY4M(Array("YUV4MPEG2 \(header)\nFRAME\n".utf8)) }
    }
  }

  @Test(arguments: [true, false]) func theSharpestOfEveryStretchIsTaken(_ tellsCount: Bool) throws {
    let sharp = try testFrame(64, 64, encoding: .grey(.full))
    let blurred = try Plane(width: 64, height: 64) { _, _ in 128 }
    let frames = (0..<40).map { index in
      Frame(planes: [index % 10 == 7 ? sharp.planes[0] : blurred], encoding: .grey(.full), name: "\(index)")
    }
    func chosen(_ choice: FrameChoice) throws -> [String] {
      try chooseFrames(from: StoredFrames(frames, tellsCount: tellsCount), choice).map(\.name)
    }
    #expect(try chosen(FrameChoice(every: 1)) == ["7", "17", "27", "37"])
    let four = try chosen(FrameChoice(maximum: 4))
    // Where the count is unknown, stretches are what doubling made of them.
    #expect(
      tellsCount ? four == ["7", "17", "27", "37"] : four.count == 4 && four.filter { $0.hasSuffix("7") }.count >= 3)
    #expect(try chosen(FrameChoice()).count == 40)
    #expect(try chosen(FrameChoice(every: 0.5, maximum: 3)).count == 3)
    #expect(try chosen(FrameChoice(maximum: 1)).count == 1)
    // As many as asked for, also where they do not divide what there is.
    for most in [3, 7, 27, 35, 39] { #expect(try chosen(FrameChoice(maximum: most)).count == most) }
  }

  @Test func kindsAreToldApart() {
    #expect(VideoFormat.sniff(Array("YUV4MPEG2 W1".utf8)) == .y4m)
    #expect(VideoFormat.sniff([0, 0, 0, 24] + Array("ftypisom".utf8)) == .mov)
    #expect(VideoFormat.sniff([0, 0, 0, 24] + Array("ftypheic".utf8)) == nil)
    #expect(VideoFormat.sniff([0x1A, 0x45, 0xDF, 0xA3]) == .matroska)
    #expect(VideoFormat.sniff(Array("text".utf8)) == nil)
  }
}

@Suite(.enabled(if: Tool.has("ffmpeg", "ffprobe"), "needs ffmpeg")) struct FFmpegTests {
  /// Containers, pixel formats and colours; colour bars must come out as such.
  static let kinds = [
    "-pix_fmt yuv420p -c:v libx264 -qp 1 a.mp4",
    "-pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=none:qp=2 a.mov",
    "-pix_fmt yuv422p -c:v ffv1 a.mkv", "-pix_fmt yuv420p -c:v mpeg4 -q:v 1 a.avi",
    "-pix_fmt yuvj420p -c:v mjpeg -q:v 1 a.avi",
    "-pix_fmt yuv444p -c:v libvpx-vp9 -lossless 1 a.webm", "-pix_fmt bgr0 -c:v ffv1 a.mkv",
    "-pix_fmt gray -c:v ffv1 a.mkv",
    "-vf scale=out_color_matrix=bt709:out_range=tv -colorspace bt709 -color_range tv -pix_fmt yuv444p -c:v ffv1 a.mkv",
    "-vf scale=out_color_matrix=bt709:out_range=pc -colorspace bt709 -color_range pc -pix_fmt yuv444p -c:v ffv1 a.mkv",
  ]

  private func film(_ switches: String, _ folder: TemporaryFolder) throws -> (path: String, picture: Frame) {
    let planes = try (0..<3).map { channel in
      try Plane(width: 128, height: 64) { x, _ in ConversionTests.bars[min(x / 16, 7)].rgb[channel] }
    }
    let picture = Frame(planes: planes, encoding: .rgb, name: "bars")
    _ = try folder.write(writePNM(picture), to: "in.ppm")
    let words = switches.split(separator: " ")
    let path = folder(String(words.last!))
    try Tool("sh")(
      "-c",
      "ffmpeg -v error -loop 1 -framerate 10 -i \(folder("in.ppm")) -frames:v 5 \(words.dropLast().joined(separator: " ")) \(path)"
    )
    return (path, picture)
  }

  @Test(arguments: kinds) func filmsAreRead(_ switches: String) throws {
    let folder = try TemporaryFolder()
    let (path, picture) = try film(switches, folder)
    let kind: VideoFormat =
      path.hasSuffix("avi") ? .avi : ["mkv", "webm"].contains(where: path.hasSuffix) ? .matroska : .mov
    #expect(VideoFormat.sniff(Array(try readFile(path).prefix(64))) == kind)
    let reader = try FFmpegReader(path: path)
    var frames: [Frame] = []
    while let frame = try reader.next() { frames.append(frame) }
    #expect(frames.count == 5)
    #expect(abs(reader.rate - 10) < 0.1)
    let last = try #require(frames.last)
    if last.encoding.planeCount == 1 {
      let grey = try picture.converted(to: PixelLayout(encoding: .grey(.full), bits: 8))
      #expect(abs(try last.converted(to: grey.layout).planes[0][8, 30] - grey.planes[0][8, 30]) <= 3)
      return
    }
    let rgb = try last.asRGB(bits: 8)
    for bar in 0..<8 {
      for plane in 0..<3 {
        #expect(abs(rgb.planes[plane][bar * 16 + 8, 30] - picture.planes[plane][bar * 16 + 8, 30]) <= 6, "\(bar)")
      }
    }
  }

  @Test func rotationIsApplied() throws {
    let folder = try TemporaryFolder()
    let (path, _) = try film("-pix_fmt yuv420p -c:v libx264 a.mp4", folder)
    try Tool("ffmpeg")("-v", "error", "-i", path, "-c", "copy", "-metadata:s:v:0", "rotate=90", folder("b.mp4"))
    let reader = try FFmpegReader(path: folder("b.mp4"))
    #expect(try reader.next()?.size == Size(width: 64, height: 128))
  }

  /// As players show it: of camcorders' 1440 columns, those of a DVD.
  @Test(arguments: [
    ("4/3", 0, Size(width: 170, height: 64)), ("1/2", 0, Size(width: 128, height: 128)),
    ("2", 90, Size(width: 64, height: 256)),
  ])
  func pixelsBecomeSquare(aspect: String, rotation: Int, size: Size) throws {
    let folder = try TemporaryFolder()
    let (path, picture) = try film("-vf setsar=\(aspect) -pix_fmt yuv420p -c:v libx264 -qp 1 a.mp4", folder)
    try Tool("ffmpeg")(
      "-v", "error", "-i", path, "-c", "copy", "-metadata:s:v:0", "rotate=\(rotation)", folder("b.mp4"))
    let frame = try #require(try FFmpegReader(path: folder("b.mp4")).next())
    #expect(frame.size == size)
    guard rotation == 0 else { return }
    let rgb = try frame.asRGB(bits: 8)
    for bar in 0..<8 {
      for plane in 0..<3 {
        let sample = rgb.planes[plane][(bar * 16 + 8) * size.width / 128, size.height / 2]
        #expect(abs(sample - picture.planes[plane][bar * 16 + 8, 30]) <= 6, "\(bar)")
      }
    }
  }

  /// Left to itself, `ffmpeg` takes the name of such a film for a pattern, an option or an address.
  @Test(arguments: [
    "pat%d.png", "%03d.jpg", "pat*.png", "-i.mp4", "concat:a.mp4", "http:x.mp4", "a|b.mp4", "pipe:0", "日 本.png",
  ])
  func namesAreNamesOnly(_ name: String) throws {
    let folder = try TemporaryFolder()
    let (path, _) = try film("-pix_fmt yuv420p -c:v libx264 a.mp4", folder)
    // What the patterns would find: pictures of another size.
    let other = try encode(testFrame(32, 16), options: EncodeOptions(format: .png))
    for name in ["pat1.png", "001.jpg"] { _ = try folder.write(other, to: name) }
    try FileManager.default.moveItem(atPath: path, toPath: folder(name))
    let reader = try FFmpegReader(path: FilePath(folder.path).appending(FilePath(name).components))
    var count = 0
    while let frame = try reader.next() {
      #expect(frame.size == Size(width: 128, height: 64))
      count += 1
    }
    #expect(count == 5)
  }

  /// A list of other files is none of the formats that are asked for, whatever it is called.
  @Test func listsOfOtherFilesAreNoFilms() throws {
    let folder = try TemporaryFolder()
    let (path, _) = try film("-pix_fmt yuv420p -c:v libx264 a.mp4", folder)
    for list in ["ffconcat version 1.0\nfile '\(path)'\n", "#EXTM3U\n#EXTINF:1,\n\(path)\n"] {
      let name = try folder.write(Array(list.utf8), to: "list.mp4")
      #expect(throws: CodecError.unrecognized(name: FilePath(name).text)) { try FFmpegReader(path: name) }
    }
  }

  /// A cancelled task does not wait for the end of a film.
  @Test func aCancelledTaskStopsReading() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let end = ends[0]
    let reading = Task { try Y4MReader(descriptor: end, name: "nobody writes").rate }
    reading.cancel()
    await #expect(throws: CodecError.self) { try await reading.value }
    for end in ends { close(end) }
  }

  @Test func damageIsTold() throws {
    let folder = try TemporaryFolder()
    let (path, _) = try film("-pix_fmt yuv420p -c:v libx264 a.mp4", folder)
    let half = try folder.write(Array(try readFile(path).prefix(400)), to: "half.mp4")
    #expect(throws: CodecError.self) { _ = try FFmpegReader(path: half).next() }
    #expect(throws: CodecError.self) { _ = try FFmpegReader(path: folder("none.mp4")).next() }
  }

  /// Their number stands nowhere, and what rate and duration make of it is three times as much.
  @Test func framesThatComeUnevenlyAreAllTaken() throws {
    let folder = try TemporaryFolder()
    let path = folder("a.mkv")
    let times = "-vf \"setpts='if(lt(N,5),N,N*3)/10/TB'\" -fps_mode vfr"
    try Tool("sh")(
      "-c", "ffmpeg -v error -f lavfi -i testsrc=size=64x48:rate=10 -frames:v 10 \(times) -c:v ffv1 \(path)")
    let reader = try FFmpegReader(path: path)
    #expect(reader.expectedCount == 10)
    #expect(try chooseFrames(from: reader, FrameChoice(maximum: 20)).count == 10)
  }

  @Test func soundAloneIsNoDamage() throws {
    let folder = try TemporaryFolder()
    let path = folder("a.mkv")
    try Tool("sh")("-c", "ffmpeg -v error -f lavfi -i sine=duration=1 -c:a flac \(path)")
    #expect(throws: CodecError.unsupported(name: FilePath(path).string, what: "a video without pictures")) {
      try FFmpegReader(path: path)
    }
  }

  /// Frames of what is there come first.
  @Test(arguments: ["mkv", "webm"]) func aVideoThatEndsEarlyIsDamaged(suffix: String) throws {
    let folder = try TemporaryFolder()
    let codec = suffix == "webm" ? "libvpx -deadline realtime" : "libx264"
    let (path, _) = try film("-pix_fmt yuv420p -c:v \(codec) -g 2 a.\(suffix)", folder)
    let bytes = try readFile(path)
    let cut = try folder.write(Array(bytes.prefix(bytes.count * 4 / 5)), to: "cut.\(suffix)")
    #expect(throws: CodecError.self) { try chooseFrames(from: FFmpegReader(path: cut), FrameChoice()) }
    let lenient = try FFmpegReader(path: cut, options: DecodeOptions(acceptsDamaged: true))
    #expect(try chooseFrames(from: lenient, FrameChoice()).count > 0)
  }

  /// Leaving early ends the program.
  @Test func readerMayBeDropped() throws {
    let folder = try TemporaryFolder()
    let (path, _) = try film("-pix_fmt yuv420p -c:v libx264 a.mp4", folder)
    for _ in 0..<3 { _ = try FFmpegReader(path: path).next() }
  }

  /// One that says more than anybody reads is ended, and not waited for.
  @Test(.timeLimit(.minutes(1))) func aTalkativeProgramIsEnded() throws {
    let program = try Subprocess(["yes"])
    #expect(program.readOutput(limit: 1001).count == 1001)
    #expect(program.wait() == 128 + SIGKILL)
    let brief = try Subprocess(["echo", "hello"])
    #expect(brief.readOutput(limit: 6) == Array("hello\n".utf8) && brief.wait() == 0)
    let complaining = try Subprocess(["sh", "-c", "echo '[mov @ 0x55f6] it [7] ends] early' >&2"])
    #expect(complaining.wait() == 0 && complaining.lastComplaint == "it [7] ends] early")
  }

  /// A number that is set later is as good as one that was given.
  @Test(arguments: [-5, 0, Int.min]) func noNumberOfFramesIsTooSmall(maximum: Int) throws {
    let frames = try (0..<3).map { _ in try testFrame(16, 16) }
    var choice = FrameChoice()
    choice.maximum = maximum
    choice.every = -1
    #expect(choice == FrameChoice(every: 0, maximum: 1))
    for tellsCount in [false, true] {
      #expect(try chooseFrames(from: StoredFrames(frames, tellsCount: tellsCount), choice).count == 1)
    }
  }

  /// As many as there may ever be.
  @Test func anyNumberOfFramesMayBeAskedFor() throws {
    let frames = try (0..<3).map { _ in try testFrame(16, 16) }
    for tellsCount in [false, true] {
      let chosen = try chooseFrames(from: StoredFrames(frames, tellsCount: tellsCount), FrameChoice(maximum: .max))
      #expect(chosen.count == 3)
    }
  }
}
