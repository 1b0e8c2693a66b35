// Renders the bursts of TestData, each with the truth, or a contact sheet of a burst and its plate:
//   swift run -c release RenderTestData [FOLDER]
//   swift run -c release RenderTestData large FOLDER      twelve frames of 12 megapixels for Scripts/bench
//   swift run -c release RenderTestData card FOLDER [SEED] a card of 60 bursts, and how many of them are found
//   swift run -c release RenderTestData sweep             measures plates of crowded squares: see Scripts/sweep
//   swift run -c release RenderTestData sheet OUT.jpg PLATE FRAME...
//   swift run -c release RenderTestData row OUT.jpg PICTURE...

import Codecs
import Foundation
import Frames
import SystemPackage

let square = Region(x: -60, y: -60, width: 760, height: 600)
let plans = [
  BurstPlan(
    name: "plaza", camera: Camera(size: Size(width: 640, height: 480), origin: Point(x: 0, y: 0), scale: 1),
    frames: 8, bits: 8, isHandheld: true, exposureDrift: 0.05, noise: 1.5, walkers: 10, lingerers: [], seed: 52),
  BurstPlan(
    name: "linger", camera: Camera(size: Size(width: 400, height: 300), origin: Point(x: 120, y: 170), scale: 1),
    frames: 7, bits: 8, isHandheld: true, exposureDrift: 0.03, noise: 1.5, walkers: 3,
    lingerers: [
      ([Point(x: 262, y: 386), Point(x: 286, y: 392)], 1..<5), ([Point(x: 398, y: 366)], 3..<7),
    ], seed: 5),
  BurstPlan(
    name: "tripod16", camera: Camera(size: Size(width: 160, height: 120), origin: Point(x: 160, y: 200), scale: 0.5),
    frames: 5, bits: 16, isHandheld: false, exposureDrift: 0, noise: 0.4, walkers: 4, lingerers: [], seed: 6),
]

let arguments = Array(CommandLine.arguments.dropFirst())
if ["sheet", "row"].contains(arguments.first), arguments.count > 4 {
  let pictures = try arguments.dropFirst(2).map { path in
    try decode(readFile(FilePath(path)), name: path).converted(to: PixelLayout(encoding: .rgb, bits: 8))
  }
  let sheet =
    try arguments[0] == "row"
    ? pictureRow(pictures) : contactSheet(frames: Array(pictures.dropFirst()), plate: pictures[0])
  try write(sheet, to: String(arguments[1].dropLast(".jpg".count)), quality: 88)
} else if arguments.count == 2, arguments[0] == "large" {
  try await writeLargeBurst(of: Monument.painted(square, density: 6), to: arguments[1])
} else if arguments.count >= 2, arguments[0] == "card" {
  let seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : 1
  try await writeCard(to: arguments[1], bursts: 60, size: Size(width: 960, height: 720), seed: seed)
} else if arguments == ["sweep"] {
  print(try await SweepScores.measure(scene: Monument.painted(square)).markdown)
} else {
  let monument = Monument.painted(square)
  for plan in plans { try write(Burst(plan), to: arguments.first ?? "TestData", scene: monument) }
}

/// Writes the frames to FOLDER/NAME and the truth to FOLDER/truth, where no burst would take it for a frame.
func write(_ burst: Burst, to folder: String, scene: Canvas) throws {
  let plan = burst.plan
  let truthFolder = "\(folder)/truth"
  for path in ["\(folder)/\(plan.name)", truthFolder] {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  for index in burst.shots.indices {
    try write(burst.photo(index, of: scene), to: "\(folder)/\(plan.name)/frame_\(index)", quality: 90)
  }
  let clean = try plan.camera.photo(of: scene, shot: Shot(homography: .identity), bits: plan.bits, name: plan.name)
  try write(clean, to: "\(truthFolder)/\(plan.name)", quality: 97)
  let truth = Truth(
    width: plan.camera.size.width, height: plan.camera.size.height, reference: 0,
    homographies: burst.shots.map(\.homography.elements), gains: burst.shots.map { [$0.gain.x, $0.gain.y, $0.gain.z] },
    mostlyHidden: burst.mostlyHiddenShare)
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
  try writeAtomically(Array(try encoder.encode(truth)), to: FilePath("\(truthFolder)/\(plan.name).json"))
  print("\(plan.name): \(plan.frames) frames, \(plan.camera.size), \(burst.mostlyHiddenShare * 100) % mostly hidden")
}

/// Writes photos as a phone takes them, without the truth: they are there to be timed.
func writeLargeBurst(of monument: Canvas, to folder: String) async throws {
  let plan = BurstPlan(
    name: "large", camera: Camera(size: Size(width: 4032, height: 3024), origin: Point(x: 0, y: 0), scale: 6.3),
    frames: 12, bits: 8, isHandheld: true, exposureDrift: 0.05, noise: 3.5, walkers: 10, lingerers: [], seed: 12)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  let burst = Burst(plan)
  try await forEachIndex(count: plan.frames, threads: 2) { index in
    let number = index < 10 ? "0\(index)" : "\(index)"
    try write(burst.photo(index, of: monument), to: "\(folder)/frame_\(number)", quality: 92)
  }
}

/// Writes 8-bit pictures as JPEG with 4:2:0, others as PNG.
func write(_ picture: Frame, to path: String, quality: Int) throws {
  if picture.bits > 8 {
    try writeAtomically(encode(picture, options: EncodeOptions(format: .png)), to: FilePath("\(path).png"))
  } else {
    let options = EncodeOptions(format: .jpeg, quality: quality)
    try writeAtomically(encode(picture.converted(to: .photo), options: options), to: FilePath("\(path).jpg"))
  }
}

extension PixelLayout {
  /// That of ordinary JPEG photos: 4:2:0.
  static var photo: PixelLayout {
    let chroma = PlaneGrid(scaleX: 2, scaleY: 2)
    return PixelLayout(encoding: .yCbCr(.bt601, .full), bits: 8, grids: [.full, chroma, chroma])
  }
}

/// What is known of a burst.
struct Truth: Codable {
  /// Of every frame, in pixels.
  let width: Int
  let height: Int
  /// The frame that homographies lead to.
  let reference: Int
  /// Nine numbers each, row-major: frame pixel to reference pixel.
  let homographies: [[Double]]
  /// Factors on red, green and blue of each frame.
  let gains: [[Double]]
  /// The share of the reference's pixels that people or their shadows hide in half of the frames or more.
  let mostlyHidden: Double
}
