import CleanPlate
import FileBuilding
import Foundation
import TestScenes
import Testing

/// Where the detector is looked for, and how it is brought.
struct DetectorCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let installed = DetectorOption.folder
  private static let isInstalled = hasDetector(in: installed)

  /// The environment of somebody who has no detector.
  private var nowhere: [String: String] {
    ["XDG_DATA_HOME": folder.path("data"), "XDG_DATA_DIRS": folder.path("system")]
  }

  @Test func aPlateWithoutADetectorSaysSo() throws {
    let files = try Burst.write(3, to: folder)
    func plate(_ arguments: [String]) throws -> Program.Outcome {
      try Program.run(files + ["-o", "plate.jpg"] + arguments, in: folder.url, environment: nowhere)
    }
    let automatic = try plate([])
    #expect(automatic.status == 0 && automatic.output.contains("`cleanplate fetch-detector`"), "\(automatic.errors)")
    for arguments in [["--detector", "off"], ["--combine", "median"]] {
      #expect(try !plate(arguments).output.contains("fetch-detector"), "\(arguments)")
    }
  }

  /// Once, not once for every burst.
  @Test func aBatchWithoutADetectorSaysSo() throws {
    for name in ["one", "other"] {
      for index in 0..<3 {
        let photo = try Burst.photo(index, scene: Scene(seed: name == "one" ? 30 : 31))
        try folder.write(photo, as: "card/\(name)/\(index).jpg")
      }
    }
    func batch(_ arguments: [String]) throws -> String {
      let outcome = try Program.run(
        ["batch", "card", "-o", "plates-\(arguments.joined())"] + arguments, in: folder.url, environment: nowhere)
      #expect(outcome.status == 0 && outcome.output.contains("2 made"), "\(outcome.errors)")
      return outcome.errors
    }
    #expect(try batch([]).components(separatedBy: "`cleanplate fetch-detector`").count == 2)
    #expect(try !batch(["--detector", "off"]).contains("fetch-detector"))
    try folder.write([1, 2, 3], as: "data/cleanplate/yolov3-tiny.weights")
    let strange = try batch(["--combine", "clean"])
    #expect(strange.components(separatedBy: "without it no detector is used").count == 2, "\(strange)")
  }

  /// The user's own comes first, then the system's.
  @Test(.enabled(if: isInstalled, "needs the detector (Scripts/fetch-detector)"), arguments: ["data", "system"])
  func itIsFoundInTheDataFolders(place: String) throws {
    let files = try Burst.write(3, to: folder)
    try FileManager.default.createDirectory(atPath: folder.path(place), withIntermediateDirectories: true)
    let link = folder.path("\(place)/cleanplate")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: Self.installed.string)
    if place == "system" { try folder.write([1, 2, 3], as: "data/cleanplate/yolov3-tiny.weights") }
    let outcome = try Program.run(
      files + ["-o", "plate.jpg", "--report", "report.json"], in: folder.url, environment: nowhere)
    #expect(outcome.status == 0 && !outcome.errors.contains("warning"), "\(outcome.errors)")
    #expect(!outcome.output.contains("fetch-detector"))
    let report = try Report(json: readFile(FilePath(folder.path("report.json"))))
    #expect(report.detector?.path == "\(link)/yolov3-tiny.weights")
    #expect(report.detector?.digest?.count == 64)
    #expect(report.detector?.peoplePath == "\(link)/ssdlite-people.pb")
    #expect(report.detector?.peopleDigest?.count == 64)
    #expect(report.detector?.outlinesPath == "\(link)/selfie-segmentation.tflite")
    #expect(report.detector?.outlinesDigest?.count == 64)
  }

  /// Where a crowd may lead frames away, `align` asks it as plates do, of whatever operator, and not where it is off.
  @Test(.enabled(if: isInstalled, "needs the detector (Scripts/fetch-detector)"))
  func framesAreAlignedAsForPlates() throws {
    let size = Size(width: 640, height: 480)
    let files = try (0..<4).map { index in
      let crowd = Scene.Figure.crowd(movedBy: Point(x: 9 * Double(index), y: 3 * Double(index)))
      let photo = try Scene(seed: 11).photo(
        size, camera: Scene.handheld(index), figures: crowd, noise: 1, noiseSeed: UInt64(index))
      try folder.write(try encode(photo, options: EncodeOptions(format: .jpeg)), as: "\(index).jpg")
      return folder.path("\(index).jpg")
    }
    func report(_ arguments: [String]) throws -> Report {
      let outcome = try Program.run(
        arguments + files + ["--reference", "0", "--crop", "reference", "--report", "report.json"], in: folder.url)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try Report(json: readFile(FilePath(folder.path("report.json"))))
    }
    let plate = try report(["-o", "plate.png", "--combine", "median"])
    let aligned = try report(["align", "-o", "aligned"])
    #expect(plate.detector != nil && aligned.detector == plate.detector)
    #expect(aligned.frames.map(\.homography) == plate.frames.map(\.homography))
    #expect(aligned.frames.map(\.isUnsure) == plate.frames.map(\.isUnsure))
    #expect(try report(["align", "-o", "aligned", "--detector", "off"]).detector == nil)
  }

  /// As an earlier version filled the folder.
  @Test(.enabled(if: isInstalled, "needs the detector (Scripts/fetch-detector)"))
  func withoutOutlinesItStillLooksAndSaysSo() throws {
    let files = try Burst.write(3, to: folder)
    try FileManager.default.createDirectory(
      atPath: folder.path("data/cleanplate"), withIntermediateDirectories: true)
    for name in ["yolov3-tiny.weights", "yolov3-tiny.cfg", "ssdlite-people.pb"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("data/cleanplate/\(name)"), withDestinationPath: "\(Self.installed.string)/\(name)")
    }
    func plate() throws -> (said: String, detector: Report.DetectorFile?) {
      let outcome = try Program.run(
        files + ["-o", "plate.jpg", "--report", "report.json"], in: folder.url, environment: nowhere)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return (outcome.errors, try Report(json: readFile(FilePath(folder.path("report.json")))).detector)
    }
    let without = try plate()
    #expect(without.said.contains("selfie-segmentation.tflite") && without.said.contains("`cleanplate fetch-detector`"))
    #expect(without.detector?.peoplePath != nil && without.detector?.outlinesPath == nil)
    // Another file is not taken for it.
    try folder.write([1, 2, 3], as: "data/cleanplate/selfie-segmentation.tflite")
    let strange = try plate()
    #expect(strange.said.contains("warning") && strange.said.contains("selfie-segmentation.tflite"), "\(strange.said)")
    #expect(strange.detector == nil)
  }

  private static let fileNames = [
    "yolov3-tiny.weights", "yolov3-tiny.cfg", "ssdlite-people.pb", "selfie-segmentation.tflite",
  ]

  /// What is wrong is told of the file that it is wrong with.
  @Test(
    .enabled(if: isInstalled, "needs the detector (Scripts/fetch-detector)"),
    arguments: ["yolov3-tiny.weights", "ssdlite-people.pb", "selfie-segmentation.tflite"])
  func theFileThatIsDamagedIsNamed(name: String) throws {
    let files = try Burst.write(3, to: folder)
    for other in Self.fileNames {
      let bytes = try readFile(Self.installed.appending(other))
      try folder.write(other == name ? Array(bytes.prefix(bytes.count / 2)) : bytes, as: "data/cleanplate/\(other)")
    }
    let weights = folder.path("data/cleanplate/yolov3-tiny.weights")
    let named = try Program.run(files + ["-o", "plate.jpg", "--detector", weights], in: folder.url)
    #expect(named.status == 66 && named.errors.contains("\(name)' cannot be used"), "\(named.errors)")
    #expect(named.errors.contains("etch it anew"))
    let found = try Program.run(files + ["-o", "plate.jpg"], in: folder.url, environment: nowhere)
    #expect(found.status == 0 && found.errors.contains("\(name) is not the file that"), "\(found.errors)")
    try FileManager.default.removeItem(atPath: folder.path("data/cleanplate/\(name)"))
    guard name == "ssdlite-people.pb" else { return }
    let missing = try Program.run(files + ["-o", "plate.jpg"], in: folder.url, environment: nowhere)
    #expect(missing.status == 0 && missing.errors.contains("\(name): it cannot be read (No such"), "\(missing.errors)")
  }

  @Test func aDetectorThatIsNotThereIsNoReasonToFetchOne() throws {
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.jpg", "--detector", "nothing.weights"], in: folder.url)
    #expect(
      outcome.status == 66 && outcome.errors.contains("'nothing.weights': it cannot be read"), "\(outcome.errors)")
    #expect(outcome.errors.contains("Check the name"))
  }

  @Test(
    .enabled(if: isInstalled, "needs the detector (Scripts/fetch-detector)"), arguments: ["share/cleanplate", "bin"])
  func itIsFoundBesideTheProgram(place: String) throws {
    let files = try Burst.write(3, to: folder)
    try FileManager.default.createDirectory(atPath: folder.path(place), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: true)
    for name in ["yolov3-tiny.weights", "yolov3-tiny.cfg", "ssdlite-people.pb", "selfie-segmentation.tflite"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("\(place)/\(name)"), withDestinationPath: "\(Self.installed.string)/\(name)")
    }
    let variables = nowhere.map { "\($0)='\($1)'" }.joined(separator: " ")
    // Copied by the shell: what this process wrote, programs that other tests start may still hold open, and a file that is
    // being written does not start.
    let text = try Shell.run(
      "cp '\(Program.executable.path)' bin/cleanplate && "
        + "\(variables) bin/cleanplate \(files.joined(separator: " ")) -o plate.jpg --report - -q", in: folder)
    let report = try Report(json: Array(text.utf8))
    #expect(report.detector?.path.hasSuffix("\(place)/yolov3-tiny.weights") == true, "\(text.prefix(300))")
  }

  /// A stand-in for curl, which brings these bytes.
  private func curl(_ line: String) throws -> [String: String] {
    try folder.writeProgram(line, as: "programs/curl")
    return nowhere.merging(["PATH": "\(folder.path("programs")):/usr/bin:/bin"]) { $1 }
  }

  @Test func anotherArchiveIsRefused() throws {
    try folder.write(Array("no archive".utf8), as: "other.tar.gz")
    let named = try Program.run(["fetch-detector", "--from", "other.tar.gz"], in: folder.url, environment: nowhere)
    #expect(named.status == 65 && named.errors.contains("other.tar.gz"), "\(named.errors)")
    let fetched = try Program.run(["fetch-detector"], in: folder.url, environment: curl("echo something else"))
    #expect(fetched.status == 65 && fetched.errors.contains("https://"), "\(fetched.errors)")
    let left = try? FileManager.default.contentsOfDirectory(atPath: folder.path("data/cleanplate"))
    #expect((left ?? []) == [], "nothing is left behind")
  }

  @Test func aDownloadThatFailsSaysWhy() throws {
    let failing = try curl("echo 'curl: (6) Could not resolve host' >&2; exit 6")
    let outcome = try Program.run(["fetch-detector"], in: folder.url, environment: failing)
    #expect(outcome.status == 69 && outcome.errors.contains("Could not resolve host"), "\(outcome.errors)")
    #expect(outcome.errors.contains("--from"))
    let missing = nowhere.merging(["PATH": folder.path("empty")]) { $1 }
    let without = try Program.run(["fetch-detector"], in: folder.url, environment: missing)
    #expect(without.status == 69 && without.errors.contains("curl"), "\(without.errors)")
  }

  @Test(.enabled(if: isInstalled, "needs the detector (Scripts/fetch-detector)"))
  func whatIsThereIsNotFetchedAgain() throws {
    let environment = try curl("exit 1").merging(
      ["XDG_DATA_HOME": "\(Self.installed.removingLastComponent())"]) { $1 }
    let outcome = try Program.run(["fetch-detector"], in: folder.url, environment: environment)
    #expect(outcome.status == 0 && outcome.output.contains("\(Self.installed)"), "\(outcome.errors)")
  }

  /// The script that developers fetch it by, before anything is built, pins the same.
  @Test func theScriptPinsTheSame() throws {
    let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
    func sums(_ path: String) throws -> Set<String> {
      Set(
        try String(contentsOf: root.appending(path: path), encoding: .utf8).matches(of: /[0-9a-f]{64}/).map {
          String($0.output)
        })
    }
    let pinned = try sums("Sources/CleanPlate/Detector/PinnedDetector.swift")
    // Three archives and four files, and the addresses' own digits are shorter.
    #expect(try sums("Scripts/fetch-detector") == pinned && pinned.count == 7)
  }
}
