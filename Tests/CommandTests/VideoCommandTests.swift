import Foundation
import Frames
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
