import Codecs
import FileBuilding
import Foundation
import Frames
import SystemPackage
import TestScenes
import Testing

/// What the program does with what cannot work: words, the documented exit code, nothing half-written.
struct BadInputTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs the program for a plate and expects it to fail cleanly.
  func fails(_ arguments: [String], with code: Int32, saying words: String, output: String = "plate.jpg") throws {
    let outcome = try Program.run(arguments + ["-o", folder.path(output)], in: folder.url)
    #expect(outcome.exited && outcome.status == code, "\(outcome.errors)")
    #expect(outcome.errors.localizedCaseInsensitiveContains(words), "\(outcome.errors)")
    #expect(try folder.names().allSatisfy { !$0.contains("plate") }, "nothing half-written stays")
  }

  @Test func emptyFolder() throws {
    let empty = folder.url.appending(path: "empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    try fails([empty.path], with: 66, saying: "holds no picture")
  }

  @Test func folderOfFolders() throws {
    let card = folder.url.appending(path: "card")
    try FileManager.default.createDirectory(at: card.appending(path: "day 1"), withIntermediateDirectories: true)
    try fails([card.path], with: 66, saying: "cleanplate batch")
  }

  @Test func outputsWhereNothingCanBe() throws {
    let files = try Burst.write(2, to: folder)
    func refused(_ output: String, with code: Int32, saying words: String) throws {
      let outcome = try Program.run(files + ["-o", output], in: folder.url)
      #expect(outcome.status == code && outcome.errors.contains(words), "\(outcome.errors)")
    }
    try FileManager.default.createDirectory(atPath: folder.path("photos"), withIntermediateDirectories: true)
    try refused("photos", with: 64, saying: "is a folder. Name a file in it, such as photos/plate.jpg.")
    let photo = FilePath(files[0]).lastComponent?.string ?? ""
    try refused("\(photo)/plate.jpg", with: 73, saying: "'\(photo)' is no folder")
    try refused("nowhere/plate.jpg", with: 73, saying: "the folder 'nowhere' does not exist")
  }

  @Test func missingFile() throws {
    try fails([folder.path("nowhere.jpg")], with: 66, saying: "does not exist")
  }

  @Test func oneImageOnly() throws {
    try fails(try Burst.write(1, to: folder), with: 66, saying: "at least 2")
  }

  @Test func damagedFilesAreLeftOutWithAWarning() throws {
    var files = try Burst.write(4, to: folder)
    let whole = try Burst.photo(5)
    try folder.write(Array("This is no picture.".utf8), as: "text.jpg")
    try folder.write(Array(whole.prefix(whole.count / 2)), as: "truncated.jpg")
    try folder.write([], as: "zero.jpg")
    try folder.write(Array(whole.prefix(100)), as: "header.jpg")
    try folder.write(try Burst.photo(0, scene: Scene(seed: 99)), as: "other-scene.jpg")
    files += ["text.jpg", "truncated.jpg", "zero.jpg", "header.jpg", "other-scene.jpg"].map(folder.path)
    let outcome = try Program.run(files + ["-o", folder.path("plate.jpg")], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    for name in ["text", "truncated", "zero", "header", "other-scene"] {
      #expect(outcome.errors.contains("\(name).jpg is left out"), "\(outcome.errors)")
    }
    #expect(outcome.output.contains("from 4 frames, 5 left out"), "\(outcome.output)")
  }

  @Test func tooFewGoodFrames() throws {
    let files = try Burst.write(1, to: folder)
    try folder.write(Array("text".utf8), as: "text.jpg")
    try fails(files + [folder.path("text.jpg")], with: 65, saying: "1 of 2 pictures")
  }

  @Test func anotherScene() throws {
    try folder.write(try Burst.photo(0), as: "a.jpg")
    try folder.write(try Burst.photo(0, scene: Scene(seed: 99)), as: "b.jpg")
    try fails([folder.path("a.jpg"), folder.path("b.jpg")], with: 65, saying: "another scene")
  }

  @Test func framesOfDifferentSizes() throws {
    var files = try Burst.write(4, to: folder)
    try folder.write(try Burst.photo(2, size: Size(width: 280, height: 200)), as: "small.jpg")
    try folder.write(try Burst.photo(0, size: Size(width: 1, height: 1)), as: "tiny.jpg")
    files += [folder.path("small.jpg"), folder.path("tiny.jpg")]
    let outcome = try Program.run(
      files + ["-o", folder.path("plate.jpg"), "--crop", "reference", "--reference", "0"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("tiny.jpg is left out"), "\(outcome.errors)")
  }

  /// A header that claims more than the limit is refused before anything is allocated for it.
  @Test func absurdlyWidePictures() throws {
    var files = try Burst.write(3, to: folder)
    try folder.write(Self.pngHeader(width: 100_000, height: 100_000), as: "wide.png")
    var jpeg = try Burst.photo(1)
    let start = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    jpeg.replaceSubrange(start + 5..<start + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    try folder.write(jpeg, as: "wide.jpg")
    files += [folder.path("wide.png"), folder.path("wide.jpg")]
    let outcome = try Program.run(files + ["-o", folder.path("plate.jpg")], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("wide.png is left out: it claims 100000x100000"), "\(outcome.errors)")
    #expect(outcome.errors.contains("wide.jpg is left out: it claims 65535x65535"), "\(outcome.errors)")
  }

  @Test func outputFolderThatDoesNotExist() throws {
    try fails(try Burst.write(2, to: folder), with: 73, saying: "does not exist", output: "no/such/plate.jpg")
  }

  @Test(.enabled(if: getuid() != 0, "root may write anywhere")) func outputFolderThatIsClosed() throws {
    let files = try Burst.write(2, to: folder)
    let closed = folder.url.appending(path: "closed")
    try FileManager.default.createDirectory(
      at: closed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o555])
    try fails(files, with: 73, saying: "permission", output: "closed/plate.jpg")
  }

  /// Also true for root, unlike permissions.
  @Test func outputFolderOfTheKernel() throws {
    let files = try Burst.write(2, to: folder)
    let outcome = try Program.run(files + ["-o", "/proc/plate.jpg"], in: folder.url)
    #expect(outcome.exited && outcome.status == 73, "\(outcome.errors)")
  }

  @Test func outputThatIsAnInput() throws {
    let files = try Burst.write(3, to: folder)
    let before = try Data(contentsOf: URL(fileURLWithPath: files[1]))
    let link = folder.path("link.jpg")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: files[1])
    for output in [files[1], link, folder.path("./2.jpg")] {
      let outcome = try Program.run(files + ["-o", output], in: folder.url)
      #expect(outcome.exited && outcome.status == 64)
      #expect(outcome.errors.contains("one of the inputs"), "\(outcome.errors)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: files[1])) == before)
  }

  @Test func fullDisk() throws {
    let files = try Burst.write(3, to: folder)
    for arguments in [["-o", "/dev/full"], ["-o", folder.path("plate.jpg"), "--report", "/dev/full"]] {
      let outcome = try Program.run(files + arguments, in: folder.url)
      #expect(outcome.exited && outcome.status == 74, "\(outcome.errors)")
      #expect(outcome.errors.contains("No space left"), "\(outcome.errors)")
    }
    var information = stat()
    #expect(
      stat("/dev/full", &information) == 0 && information.st_mode & S_IFMT == S_IFCHR, "the device is still there")
  }

  /// What was asked for and could not be printed is no success.
  @Test func fullDiskBehindStandardOutput() throws {
    let files = try Burst.write(3, to: folder)
    for arguments in [["rank"] + files, ["bursts", "."], ["compare", files[0], files[0]]] {
      let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
      let outcome = try Program.run(arguments, in: folder.url, output: full)
      #expect(
        outcome.exited && outcome.status == 74 && outcome.errors.contains("standard output"),
        "\(arguments[0]): \(outcome.errors)")
    }
  }

  /// As `cleanplate rank photos/ | head -1`: who reads no further has seen enough, and nothing went wrong.
  @Test func readerWhoLeaves() throws {
    let files = try Burst.write(3, to: folder)
    for arguments in [["rank"] + files, ["bursts", "."], files + ["-o", "plate.jpg"]] {
      let results = Pipe()
      try results.fileHandleForReading.close()
      let outcome = try Program.run(arguments, in: folder.url, output: results.fileHandleForWriting)
      #expect(outcome.exited && outcome.status == 0, "\(arguments[0]): \(outcome.errors)")
      #expect(!outcome.errors.contains("error:"), "\(arguments[0]): \(outcome.errors)")
    }
  }

  /// No frame is left out for want of temporary space.
  @Test func noTemporarySpace() throws {
    let frame = try Scene(seed: 3).photo(Size(width: 1200, height: 900))
    try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg)), as: "1.jpg")
    try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg)), as: "2.jpg")
    let arguments = ["1.jpg", "2.jpg", "-o", "plate.jpg", "--memory", "1M"]
    let outcome = try Program.run(arguments, in: folder.url, environment: ["TMPDIR": "/nonexistent"])
    #expect(outcome.exited && outcome.status == 74, "\(outcome.errors)")
    #expect(outcome.errors.contains("temporary space in '/nonexistent' could not be had"), "\(outcome.errors)")
    #expect(try !folder.names().contains("plate.jpg"))
  }

  @Test func unknownSuffix() throws {
    try fails(try Burst.write(2, to: folder), with: 64, saying: "suffix", output: "plate.xyz")
  }

  @Test func referenceOutOfRange() throws {
    try fails(try Burst.write(2, to: folder) + ["--reference", "7"], with: 64, saying: "frames 0 to 1")
  }

  @Test func optionsOutOfRange() throws {
    let files = try Burst.write(2, to: folder)
    try fails(files + ["--threads", "0"], with: 64, saying: "1 to 1024")
    try fails(files + ["--quality", "101"], with: 64, saying: "1 to 100")
    try fails(files + ["--combine", "best"], with: 64, saying: "best")
    try fails([], with: 64, saying: "burst")
  }

  static func pngHeader(width: UInt32, height: UInt32) -> [UInt8] {
    func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian, Array.init) }
    let chunk = Array("IHDR".utf8) + word(width) + word(height) + [8, 2, 0, 0, 0]
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in chunk {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + word(13) + chunk + word(~crc)
  }
}
