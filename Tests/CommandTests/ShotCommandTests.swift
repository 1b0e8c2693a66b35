import Codecs
import FileBuilding
import Foundation
import Frames
import TestScenes
import Testing

/// Twins, plates among frames, order, and what is lost, as users meet them.
struct ShotCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aPlateInTheFolderOfItsFramesIsNoFrame() throws {
    let files = try Burst.write(5, to: folder, prefix: "own/")
    let first = try Program.run(["own", "-o", "own/plate.jpg"], in: folder.url)
    #expect(first.status == 0, "\(first.errors)")
    let plate = try Data(contentsOf: folder.url.appending(path: "own/plate.jpg"))
    let second = try Program.run(["own", "-o", "own/plate.jpg", "--verbose"], in: folder.url)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.errors.contains("skipped: own/plate.jpg, a plate that cleanplate made"))
    #expect(second.output.contains("from \(files.count) frames"))
    #expect(try Data(contentsOf: folder.url.appending(path: "own/plate.jpg")) == plate)
    // Named among the frames it is left out, with a word.
    let named = try Program.run(files + ["own/plate.jpg", "-o", "other.jpg"], in: folder.url)
    #expect(named.status == 0)
    #expect(named.errors.contains("own/plate.jpg is left out: cleanplate made it"))
  }

  /// What a glob hands over the second time.
  @Test func aPlateThatIsNamedAndMadeAgainIsReplaced() throws {
    let files = try Burst.write(5, to: folder, prefix: "own/")
    let outputs = ["own/plate.jpg", "own/support.png", "own/people.png"]
    let options = ["-o", outputs[0], "--support", outputs[1], "--foreground", outputs[2], "--detector", "off"]
    let first = try Program.run(files + options, in: folder.url)
    #expect(first.status == 0, "\(first.errors)")
    let plate = try Data(contentsOf: folder.url.appending(path: outputs[0]))
    // A plate in the middle changes no photo's number.
    let named = files.prefix(2) + outputs + files.dropFirst(2)
    let second = try Program.run(named + options + ["--reference", "2", "--report", "r.json", "-v"], in: folder.url)
    #expect(second.status == 0, "\(second.errors)")
    for output in outputs {
      #expect(second.errors.contains("\(output) is a plate of an earlier run and is replaced"), "\(second.errors)")
    }
    #expect(second.errors.contains("reference: frame 2, \(files[2])"), "\(second.errors)")
    #expect(second.output.contains("from 5 frames"))
    let again = try Program.run(["./own/plate.jpg"] + files + options, in: folder.url)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try Data(contentsOf: folder.url.appending(path: outputs[0])) == plate)
    // A photo is none.
    let photo = try Program.run(files + ["-o", files[1]], in: folder.url)
    #expect(photo.status == 64 && photo.errors.contains("one of the inputs"), "\(photo.errors)")
    // Of plates alone nothing is made.
    let alone = try Program.run([outputs[0], "-o", outputs[0]], in: folder.url)
    #expect(alone.exited && alone.status != 0, "\(alone.errors)")
    #expect(try Data(contentsOf: folder.url.appending(path: outputs[0])) == plate)
  }

  @Test func aPlateWithoutMetadataIsNoFrameEither() throws {
    let files = try Burst.write(5, to: folder, prefix: "own/")
    let options = ["-o", "own/plate.jpg", "--strip", "--detector", "off", "--preview", "own/preview.png"]
    let first = try Program.run(["own"] + options, in: folder.url)
    #expect(first.status == 0, "\(first.errors)")
    let second = try Program.run(["own"] + options + ["--verbose"], in: folder.url)
    #expect(second.status == 0 && second.output.contains("from \(files.count) frames"), "\(second)")
    for name in ["plate.jpg", "preview.png"] {
      #expect(second.errors.contains("skipped: own/\(name), a plate that cleanplate made"), "\(second.errors)")
    }
  }

  /// They are frames, in whatever way they were written.
  @Test(arguments: [[], ["--strip"]]) func registeredFramesMayBeStacked(_ options: [String]) throws {
    let files = try Burst.write(5, to: folder, prefix: "own/")
    let aligned = try Program.run(["align", "own", "-o", "aligned"] + options, in: folder.url)
    #expect(aligned.status == 0, "\(aligned.errors)")
    let plate = try Program.run(["aligned", "-o", "plate.png", "--detector", "off"], in: folder.url)
    #expect(plate.status == 0 && plate.output.contains("from \(files.count) frames"), "\(plate)")
  }

  @Test func copiesHaveOneVote() throws {
    let files = try Burst.write(4, to: folder)
    let copy = folder.path("2 (1).jpg")
    try FileManager.default.copyItem(atPath: files[1], toPath: copy)
    let outcome = try Program.run([folder.url.path, "-o", "plate.png"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("is left out: it is the same shot as"))
    #expect(outcome.output.contains("from 4 frames, 1 left out"))
  }

  @Test func theReportCountsFilesAsTheyWereNamed() throws {
    _ = try Burst.write(11, to: folder)
    let named = ["10.jpg", "11.jpg"] + (1...9).map { "\($0).jpg" }
    let outcome = try Program.run(
      named + ["-o", "plate.png", "--report", "report.json", "--reference", "1", "--verbose"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("reference: frame 1, 11.jpg"))
    let bytes = try Data(contentsOf: folder.url.appending(path: "report.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    let frames = try #require(report["frames"] as? [[String: Any]])
    #expect(frames.map { $0["path"] as? String } == named)
    #expect(report["reference"] as? Int == 1)
  }

  @Test(arguments: [("plate.jpg", "jpeg holds 8 bits"), ("plate.heic", "heif holds 12 bits"), ("plate.png", nil)])
  func depthThatTheFormatCannotHoldIsSaid(_ output: (name: String, words: String?)) throws {
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", output.name, "--depth", "16"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("bits a sample, not the 16") == (output.words != nil))
    if let words = output.words { #expect(outcome.errors.contains("warning: \(words)")) }
  }

  private static let program = ["/usr/bin", "/usr/local/bin"].contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/ffmpeg")
  }

  @Test(.enabled(if: program, "needs ffmpeg")) func aVideosPlateCarriesDateAndPlace() throws {
    _ = try Burst.write(6, to: folder)
    let film = Process()
    film.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    film.arguments =
      ["ffmpeg", "-v", "error", "-framerate", "2", "-i", folder.path("%d.jpg"), "-c:v", "libx264", "-crf", "10"]
      + ["-pix_fmt", "yuv420p", "-metadata", "creation_time=2024-05-06T07:08:09Z"]
      + ["-metadata", "location=+48.8584+002.2945/", "-color_trc", "smpte2084", folder.path("film.mp4")]
    try film.run()
    film.waitUntilExit()
    #expect(film.terminationStatus == 0)
    let outcome = try Program.run(["film.mp4", "-o", "plate.jpg"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("high dynamic range (PQ or HLG) is taken as it is coded"))
    let plate = try decode([UInt8](Data(contentsOf: folder.url.appending(path: "plate.jpg"))), name: "plate")
    #expect(plate.metadata.capture?.time == "2024:05:06 07:08:09")
    let exif = try #require(plate.metadata.exif)
    // The tag of the GPS directory.
    #expect(
      exif.indices.dropLast(2).contains {
        exif[$0...].starts(with: [0x25, 0x88]) || exif[$0...].starts(with: [0x88, 0x25])
      })
  }

  /// The library that reads networks trusts what it reads.
  @Test func onlyTheDetectorsOwnWeightsAreTakenUnasked() throws {
    let files = try Burst.write(4, to: folder)
    try folder.write(Array("[net]\nwidth=32\nheight=32\n".utf8), as: "data/cleanplate/yolov3-tiny.cfg")
    try folder.write([UInt8](repeating: 7, count: 5000), as: "data/cleanplate/yolov3-tiny.weights")
    let environment = ["XDG_DATA_HOME": folder.path("data"), "XDG_DATA_DIRS": folder.path("data")]
    let outcome = try Program.run(files + ["-o", "plate.png"], in: folder.url, environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("is not the file that `cleanplate fetch-detector` brings"))
    let named = try Program.run(
      files + ["-o", "plate.png", "--detector", folder.path("data/cleanplate/yolov3-tiny.weights")], in: folder.url)
    #expect(named.exited && named.status != 0)
    #expect(named.errors.contains("yolov3-tiny.weights"))
  }
}
