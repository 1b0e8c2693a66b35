import Codecs
import FileBuilding
import Foundation
import Frames
import TestScenes
import Testing

private let hasExifTool = FileManager.default.isExecutableFile(atPath: "/usr/bin/exiftool")

/// Photos with the video that a phone stored with them, made of a rendered burst by ffmpeg and exiftool.
@Suite(
  .enabled(if: VideoCommandTests.hasFFmpeg, "ffmpeg is not installed"),
  .enabled(if: hasExifTool, "exiftool is not installed (libimage-exiftool-perl)")
)
struct MotionCommandTests {
  let folder: TemporaryFolder
  let scene = Scene(seed: 8)
  let size = Size(width: 960, height: 720)

  init() throws { folder = try TemporaryFolder() }

  private func tool(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments)")
  }

  /// Coarse, so that a video shows nearly all of it: its pixels are a third of the scene's units.
  private let camera = Homography(0.35, 0, 0, 0, 0.35, 0, 0, 0)

  private func walker(_ time: Int) -> Scene.Figure { Scene.Figure(x: 70 + 32 * Double(time), y: 140, radius: 21) }

  private var photo: Frame {
    get throws { try scene.photo(size, camera: camera, figures: [walker(2)], noise: 1.5, noiseSeed: 99) }
  }

  /// Seven frames of 40 % of the photo's pixels a side, 16:9, cut a little narrower than the photo.
  private func writeVideo(_ name: String, tags: [String] = []) throws {
    for time in 0..<7 {
      let shaken = camera * Scene.handheld(time) ?? camera
      let frame = try scene.photo(
        size, camera: shaken, figures: [walker(time)], gain: 0.93, noise: 1, noiseSeed: UInt64(time))
      try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg)), as: "video/\(time).jpg")
    }
    try tool(
      ["ffmpeg", "-v", "error", "-y", "-framerate", "10", "-i", "video/%d.jpg", "-vf"]
        + ["crop=900:506,scale=384:216:flags=area", "-c:v", "libx264", "-crf", "12", "-pix_fmt", "yuv420p"]
        + ["-movflags", "use_metadata_tags"] + tags + [name])
    try FileManager.default.removeItem(atPath: folder.path("video"))
  }

  /// What a plate must show: the walker gone, and the photo as it is where it was free.
  private func check(_ name: String) throws {
    let plate = try decode([UInt8](Data(contentsOf: folder.url.appending(path: name))), name: name)
    #expect(plate.size == size)
    let (truth, photo) = (try scene.photo(size, camera: camera), try photo)
    var (hidden, left, kept, free) = (0, 0, 0, 0)
    for y in stride(from: 0, to: size.height, by: 2) {
      for x in stride(from: 0, to: size.width, by: 2) {
        let figure = walker(2)
        let distance = hypot(0.35 * Double(x) - figure.x, 0.35 * Double(y) - figure.y)
        if distance < figure.radius {
          hidden += 1
          left += abs(plate.planes[0][x, y] - truth.planes[0][x, y]) > 20 ? 1 : 0
        } else if distance > figure.radius + 8 {
          free += 1
          kept += abs(plate.planes[0][x, y] - photo.planes[0][x, y]) <= 3 ? 1 : 0
        }
      }
    }
    #expect(Double(left) < 0.02 * Double(hidden), "\(left) of \(hidden)")
    #expect(Double(kept) > 0.9 * Double(free), "\(kept) of \(free)")
  }

  private func append(_ video: String, to photo: String) throws {
    let bytes = try Data(contentsOf: folder.url.appending(path: photo))
    let film = try Data(contentsOf: folder.url.appending(path: video))
    try (bytes + film).write(to: folder.url.appending(path: photo))
  }

  private func run(_ arguments: [String]) throws -> Program.Outcome { try Program.run(arguments, in: folder.url) }

  /// Google's first form: so many bytes before the end.
  @Test func aMicroVideoFreesItsPhoto() throws {
    try writeVideo("film.mp4")
    let count = try Data(contentsOf: folder.url.appending(path: "film.mp4")).count
    try folder.write(try encode(photo, options: EncodeOptions(format: .jpeg, quality: 100)), as: "MVIMG_1.jpg")
    try tool([
      "exiftool", "-q", "-overwrite_original", "-XMP-GCamera:MicroVideo=1", "-XMP-GCamera:MicroVideoOffset=\(count)",
      "MVIMG_1.jpg",
    ])
    try append("film.mp4", to: "MVIMG_1.jpg")
    let plain = try run(["MVIMG_1.jpg", "-o", "plate.png", "--detector", "off"])
    #expect(plain.status == 66 && plain.errors.contains("--motion makes a plate of the two"), "\(plain)")
    let outcome = try run([
      "MVIMG_1.jpg", "--motion", "-o", "plate.jpg", "--detector", "off", "--quality", "100", "--crop", "reference",
      "--report", "r.json",
    ])
    #expect(outcome.status == 0 && outcome.output.contains("plate.jpg: 960x720 from 8 frames"), "\(outcome)")
    #expect(outcome.errors.contains("% of MVIMG_1.jpg; nobody is removed from the rest"), "\(outcome.errors)")
    try check("plate.jpg")
    // Left to itself, the plate shows what the video shows.
    let cropped = try run(["MVIMG_1.jpg", "--motion", "-o", "cropped.png", "--detector", "off"])
    #expect(cropped.status == 0 && cropped.errors.contains("--crop reference shows all of it"), "\(cropped)")
    let over = try run(["MVIMG_1.jpg", "--motion", "-o", "MVIMG_1.jpg"])
    #expect(over.status == 64 && over.errors.contains("one of the inputs"), "\(over)")
    // It is one picture to everybody else.
    try FileManager.default.createDirectory(atPath: folder.path("card"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: folder.path("MVIMG_1.jpg"), toPath: folder.path("card/MVIMG_1.jpg"))
    let list = try run(["bursts", "card"])
    #expect(list.status == 0 && list.output.contains("one photo with a video: card/MVIMG_1.jpg"), "\(list)")
    #expect(list.output.contains("1 photo with a video"))
    let json = try run(["bursts", "card", "--json"])
    #expect(json.output.contains("\"kind\" : \"photo-with-video\""), "\(json)")
    // And to a batch, unless it is asked for.
    let batch = ["batch", "card", "-o", "plates", "--name", "{first}.jpg", "--detector", "off", "--crop", "reference"]
    let bursts = try run(batch)
    #expect(
      bursts.status == 0 && !FileManager.default.fileExists(atPath: folder.path("plates/MVIMG_1.jpg")), "\(bursts)")
    let made = try run(batch + ["--motion", "--quality", "100"])
    #expect(made.status == 0, "\(made)")
    try check("plates/MVIMG_1.jpg")
    let plate = try Data(contentsOf: folder.url.appending(path: "plates/MVIMG_1.jpg"))
    let again = try run(batch + ["--motion", "--quality", "100"])
    #expect(again.status == 0 && again.output.contains("1 there already"), "\(again)")
    #expect(try Data(contentsOf: folder.url.appending(path: "plates/MVIMG_1.jpg")) == plate)
    let median = try run(batch + ["--motion", "--combine", "median"])
    #expect(median.status == 64 && median.errors.contains("--combine clean"), "\(median)")
  }

  /// Google's second form, in HEIC: a directory in XMP and a box around the video.
  @Test func aMotionPhotoInHEICFreesItsPhoto() throws {
    try writeVideo("film.mp4")
    let film = try Data(contentsOf: folder.url.appending(path: "film.mp4"))
    var bytes = Data(try encode(photo, options: EncodeOptions(format: .heif, quality: 100)))
    bytes += withUnsafeBytes(of: UInt32(8 + film.count).bigEndian, Array.init) + Array("mpvd".utf8) + film
    try bytes.write(to: folder.url.appending(path: "PXL_1.MP.heic"))
    let outcome = try run([
      "PXL_1.MP.heic", "--motion", "-o", "plate.jpg", "--detector", "off", "--quality", "100", "--crop", "reference",
    ])
    #expect(outcome.status == 0 && outcome.output.contains("from 8 frames"), "\(outcome)")
    let list = try run(["bursts", "."])
    #expect(list.output.contains("one photo with a video: ./PXL_1.MP.heic"), "\(list)")
  }

  /// Samsung's: blocks behind the picture, and something behind the video.
  @Test func samsungsTrailerFreesItsPhoto() throws {
    try writeVideo("film.mp4")
    var bytes = Data(try encode(photo, options: EncodeOptions(format: .jpeg, quality: 100)))
    bytes += Data("MotionPhoto_Data".utf8) + (try Data(contentsOf: folder.url.appending(path: "film.mp4")))
    bytes += Data([0, 0, 0, 0xFF]) + Data("SEFT".utf8)
    try bytes.write(to: folder.url.appending(path: "2024 05.jpg"))
    let outcome = try run([
      "2024 05.jpg", "--motion", "-o", "plate.jpg", "--detector", "off", "--quality", "100", "--crop", "reference",
    ])
    #expect(outcome.status == 0 && outcome.output.contains("from 8 frames"), "\(outcome)")
    try check("plate.jpg")
  }

  @Test func aLivePhotoFreesItsPhoto() throws {
    let identifier = "5B1F-4C2D"
    let note =
      Array("Apple iOS\0\0\u{1}MM".utf8) + [0, 1] + [0, 0x11, 0, 2, 0, 0, 0, 10, 0, 0, 0, 32] + [0, 0, 0, 0]
      + Array(identifier.utf8) + [0]
    let still = try photo
    let live = Frame(
      planes: still.planes, grids: still.grids, encoding: still.encoding, name: "live",
      metadata: Metadata(exif: ExifBlock(exif: [0x927C: .bytes(note)]).bytes))
    try folder.write(try encode(live, options: EncodeOptions(format: .jpeg, quality: 100)), as: "IMG_1.JPG")
    try writeVideo("IMG_1.MOV", tags: ["-metadata", "com.apple.quicktime.content.identifier=other"])
    let stranger = try run(["IMG_1.JPG", "--motion", "-o", "plate.png"])
    #expect(stranger.status == 65 && stranger.errors.contains("content identifier"), "\(stranger)")
    try writeVideo("IMG_1.MOV", tags: ["-metadata", "com.apple.quicktime.content.identifier=\(identifier)"])
    let outcome = try run([
      "IMG_1.JPG", "--motion", "-o", "plate.jpg", "--detector", "off", "--quality", "100", "--crop", "reference",
    ])
    #expect(outcome.status == 0 && outcome.output.contains("from 8 frames"), "\(outcome)")
    try check("plate.jpg")
    let list = try run(["bursts", "."])
    #expect(list.output.contains("one photo with a video: ./IMG_1.JPG"), "\(list)")
  }

  @Test(arguments: [
    (["a.jpg", "--motion"], 65, "holds no video, and none of its name"),
    (["a.jpg", "b.jpg", "--motion"], 64, "one photo with its video"),
    (["card", "--motion"], 64, "one photo with its video"),
    (["a.jpg", "--motion", "--combine", "median"], 64, "--combine clean"),
    (["a.jpg", "--motion", "--reference", "1"], 64, "Leave --reference out"), (["-", "--motion"], 64, "one photo"),
  ])
  func wrongUsageHasWords(_ arguments: [String], _ code: Int32, _ words: String) throws {
    for name in ["a.jpg", "b.jpg", "card/c.jpg"] { try folder.write(try Burst.photo(0), as: name) }
    let outcome = try run(arguments + ["-o", "plate.png"])
    #expect(outcome.status == code && outcome.errors.contains(words), "\(outcome)")
  }
}
