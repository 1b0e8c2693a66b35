import Codecs
import FileBuilding
import Foundation
import Frames
import SystemPackage
import TestScenes
import Testing

struct VideoCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let hasFFmpeg = ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"].contains(
    where: FileManager.default.isExecutableFile)

  /// A handheld burst as YUV4MPEG2, 4:2:0, ten frames a second.
  func video(frames: Int) throws -> [UInt8] {
    let size = Burst.size
    var bytes = Array("YUV4MPEG2 W\(size.width) H\(size.height) F10:1 Ip A1:1 C420jpeg\n".utf8)
    for index in 0..<frames {
      let walker = Scene.Figure(x: 30 + 60 * Double(index), y: 150, radius: 18)
      let frame = try Scene(seed: 3).photo(size, camera: Scene.handheld(index), figures: [walker])
      bytes += Array("FRAME\n".utf8)
      for plane in frame.planes {
        for y in 0..<plane.height { plane.withUnsafeRow(y, as: UInt8.self) { bytes += $0 } }
      }
    }
    return bytes
  }

  @Test func saysWhyStandardInputCannotBeRead() throws {
    let opened = FileHandle(fileDescriptor: open(folder.url.path, O_RDONLY), closeOnDealloc: true)
    let outcome = try Program.run(["-", "-o", "plate.png"], in: folder.url, input: opened)
    #expect(outcome.status == 65 && outcome.errors.contains("Is a directory"), "\(outcome.errors)")
  }

  @Test func takesFramesOfAFile() throws {
    try folder.write(try video(frames: 6), as: "burst.y4m")
    let outcome = try Program.run(["burst.y4m", "-o", "plate.png"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("from 6 frames"), "\(outcome.output)")
    let every = try Program.run(["burst.y4m", "-o", "plate.png", "--every", "0.2s"], in: folder.url)
    #expect(every.output.contains("from 3 frames"), "\(every.output)")
    let most = try Program.run(["burst.y4m", "-o", "plate.png", "--max-frames", "2"], in: folder.url)
    #expect(most.output.contains("from 2 frames"), "\(most.output)")
  }

  /// Whole frames before the end are what a stream still shows.
  @Test func takesWhatDamagedStreamsStillShow() throws {
    let whole = try video(frames: 6)
    try folder.write(Array(whole.prefix(whole.count * 3 / 4)), as: "cut.y4m")
    let strict = try Program.run(["cut.y4m", "-o", "plate.png"], in: folder.url)
    #expect(strict.status == 65 && strict.errors.contains("ends within frame 4"), "\(strict.errors)")
    let lenient = try Program.run(["cut.y4m", "-o", "plate.png", "--accept-damaged"], in: folder.url)
    #expect(lenient.status == 0 && lenient.output.contains("from 4 frames"), "\(lenient.errors)")
  }

  /// What a file may hold, a stream may not: it says what does.
  @Test func aStreamThatIsNoY4MSaysWhatWouldBe() throws {
    try folder.write([0, 0, 0, 24] + Array("ftypisom".utf8), as: "a.mp4")
    let input = try #require(FileHandle(forReadingAtPath: folder.path("a.mp4")))
    let outcome = try Program.run(["-", "-o", "plate.png"], in: folder.url, input: input)
    #expect(outcome.status == 65 && outcome.errors.contains("-f yuv4mpegpipe"), "\(outcome.errors)")
  }

  /// A TIFF of several pages is a burst when it is given alone; beside others it stands for its first page.
  @Test func takesPicturesOfOneFile() throws {
    let files = try Burst.write(5, to: folder)
    try folder.write(try pages(files), as: "pages.tif")
    let outcome = try Program.run(["pages.tif", "-o", "plate.png", "--report", "r.json"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("from 5 frames"), "\(outcome.output)")
    let report = try String(contentsOf: folder.url.appending(path: "r.json"), encoding: .utf8)
    #expect(report.contains("\"pages.tif picture 5\""))
    let most = try Program.run(["pages.tif", "-o", "plate.png", "--max-frames", "3"], in: folder.url)
    #expect(most.output.contains("from 3 frames"), "\(most.output)")
    let beside = try Program.run(["pages.tif", files[1], files[2], "-o", "plate.png"], in: folder.url)
    // Which is grey, and the others are not.
    #expect(beside.output.contains("from 2 frames, 1 left out"), "\(beside.output)")
    let over = try Program.run(["pages.tif", "-o", "pages.tif"], in: folder.url)
    #expect(over.exited && over.status == 64, "\(over.errors)")
  }

  /// The pictures of some files as the directories of one uncompressed TIFF, grey (TIFF 6.0, section 4).
  private func pages(_ files: [String]) throws -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).littleEndian, Array.init) }
    func entry(_ tag: UInt16, _ value: Int) -> [UInt8] {
      withUnsafeBytes(of: tag.littleEndian, Array.init) + [4, 0] + word(1) + word(value)
    }
    var bytes = Array("II*\0".utf8) + word(8)
    for (index, file) in files.enumerated() {
      let plane = try decode(try readFile(FilePath(file)), name: file).planes[0]
      let count = plane.width * plane.height
      // Tags in ascending order: size, depth, no compression, black is zero, one strip.
      let tags: [(UInt16, Int)] = [
        (256, plane.width), (257, plane.height), (258, 8), (259, 1), (262, 1), (273, 0), (277, 1), (278, plane.height),
        (279, count),
      ]
      let start = bytes.count + 2 + 12 * tags.count + 4
      bytes += [UInt8(tags.count), 0]
      for (tag, value) in tags { bytes += entry(tag, tag == 273 ? start : value) }
      bytes += word(index == files.count - 1 ? 0 : start + count)
      for y in 0..<plane.height { plane.withUnsafeRow(y, as: UInt8.self) { bytes += $0 } }
    }
    return bytes
  }

  @Test func takesStandardInput() throws {
    try folder.write(try video(frames: 5), as: "burst.y4m")
    let input = try FileHandle(forReadingFrom: folder.url.appending(path: "burst.y4m"))
    let outcome = try Program.run(["-", "-o", "plate.png"], in: folder.url, input: input)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("from 5 frames"), "\(outcome.output)")
    let nothing = try Program.run(["-", "-o", "other.png"], in: folder.url)
    #expect(nothing.exited && nothing.status == 65, "\(nothing.errors)")
  }

  @Test(.enabled(if: hasFFmpeg, "ffmpeg is not installed")) func takesFramesOfAContainer() throws {
    try folder.write(try video(frames: 6), as: "burst.y4m")
    let ffmpeg = Process()
    ffmpeg.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    ffmpeg.arguments = [
      "ffmpeg", "-v", "error", "-i", folder.path("burst.y4m"), "-c:v", "mpeg4", "-q:v", "2", folder.path("burst.mp4"),
    ]
    ffmpeg.standardInput = FileHandle.nullDevice
    try ffmpeg.run()
    ffmpeg.waitUntilExit()
    try #require(ffmpeg.terminationStatus == 0)
    let outcome = try Program.run(["burst.mp4", "-o", "plate.png"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("from 6 frames"), "\(outcome.output)")
    let without = try Program.run(
      ["burst.mp4", "-o", "other.png"], in: folder.url, environment: ["PATH": "/nonexistent"])
    #expect(without.exited && without.status == 69, "\(without.errors)")
    #expect(without.errors.contains("ffmpeg"), "\(without.errors)")
  }

  @Test func refusesABadStream() throws {
    try folder.write(Array("YUV4MPEG2 W100000 H100000 F10:1 C420jpeg\nFRAME\n".utf8), as: "huge.y4m")
    let huge = try Program.run(["huge.y4m", "-o", "plate.png"], in: folder.url)
    #expect(huge.exited && huge.status == 65, "\(huge.errors)")
    try folder.write(Array(try video(frames: 3).dropLast(1000)), as: "cut.y4m")
    let cut = try Program.run(["cut.y4m", "-o", "plate.png"], in: folder.url)
    #expect(cut.exited && cut.status == 65, "\(cut.errors)")
  }
}
