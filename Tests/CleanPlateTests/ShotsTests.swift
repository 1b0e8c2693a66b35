import CleanPlate
import FileBuilding
import Foundation
import Frames
import TestScenes
import Testing

@testable import Codecs

/// One vote a shot, and the order of shots in time.
struct ShotsTests {
  private let temporary: TemporaryFolder
  var folder: URL { temporary.url }
  let size = Size(width: 320, height: 240)

  init() throws {
    temporary = try TemporaryFolder()
  }

  /// When a photo was taken, and by whom; seconds after noon.
  func exif(_ second: Int, _ fraction: String? = nil, camera: String = "Model 1") -> [UInt8] {
    let digits = second < 10 ? "0\(second)" : "\(second)"
    var block = ExifBlock(picture: [0x0110: .text(camera)], exif: [0x9003: .text("2024:05:06 12:00:\(digits)")])
    if let fraction { block.exif[0x9291] = .text(fraction) }
    return block.bytes
  }

  func photo(_ index: Int, exif: [UInt8]? = nil) throws -> Frame {
    let frame = try Scene(seed: 5).photo(
      size, camera: Scene.handheld(index), figures: [.init(x: 20 + 50 * Double(index), y: 120, radius: 20)], noise: 1.5,
      noiseSeed: UInt64(index))
    return Frame(
      planes: frame.planes, grids: frame.grids, encoding: frame.encoding, name: frame.name,
      metadata: Metadata(exif: exif))
  }

  @discardableResult
  func write(
    _ name: String, _ index: Int, exif: [UInt8]? = nil, quality: Int = 95, history: String? = nil
  ) throws -> Input {
    let path = folder.appending(path: name)
    let format = try #require(ImageFormat.forSuffix(path.pathExtension))
    let options = EncodeOptions(format: format, quality: quality, history: history)
    try Data(encode(photo(index, exif: exif), options: options)).write(to: path)
    return .file(path: FilePath(path.path))
  }

  /// The code of each input's rejection, or nil where it takes part.
  func outcome(_ inputs: [Input], reference: ReferenceOption = .auto) async throws -> [String?] {
    let result = try await makePlate(from: inputs, options: Options(combine: .median, reference: reference))
    return result.report.frames.map(\.reasonCode)
  }

  @Test func theSameBytesCountOnce() async throws {
    var inputs = try (0..<4).map { try write("\($0).jpg", $0) }
    let copy = folder.appending(path: "another name.jpg")
    try FileManager.default.copyItem(at: folder.appending(path: "2.jpg"), to: copy)
    inputs.append(.file(path: FilePath(copy.path)))
    let codes = try await outcome(inputs)
    #expect(codes == [nil, nil, nil, nil, "same-shot"])
  }

  /// A twin that is chosen as the reference stands for its shot.
  @Test func theChosenReferenceStandsForItsShot() async throws {
    var inputs = try (0..<4).map { try write("\($0).jpg", $0) }
    let copy = folder.appending(path: "3 (1).jpg")
    try FileManager.default.copyItem(at: folder.appending(path: "3.jpg"), to: copy)
    inputs.append(.file(path: FilePath(copy.path)))
    let codes = try await outcome(inputs, reference: .index(4))
    #expect(codes == [nil, nil, nil, "same-shot", nil])
  }

  /// PNG stands for what keeps more of a shot; its seconds have a fraction, or else the names agree.
  @Test(arguments: ["123", nil], [true, false])
  func formatsOfOneShotCountOnce(_ fraction: String?, _ areNamesAlike: Bool) async throws {
    var inputs: [Input] = []
    for index in 0..<4 {
      inputs.append(try write("IMG_\(index).jpg", index, exif: exif(index, fraction)))
      let name = areNamesAlike ? "img_\(index).png" : "developed_\(index).png"
      inputs.append(try write(name, index, exif: exif(index, fraction)))
    }
    let codes = try await outcome(inputs)
    let areTwins = fraction != nil || areNamesAlike
    #expect(codes.map { $0 == "same-shot" } == (0..<8).map { areTwins && $0 % 2 == 0 })
  }

  /// Names alone say nothing: many photos in one second, numbered as copies are.
  @Test func photosOfOneSecondAreShotsOfTheirOwn() async throws {
    let names = ["Paris (1).jpg", "Paris (2).jpg", "Paris (3).jpg", "Paris.jpg"]
    for fractions in [
      [nil, nil, nil, nil], ["1", "3", "5", "7"], ["10", "10", "20", "20"], ["000", "000", "000", "000"],
    ] {
      let inputs = try names.indices.map { try write("x\($0) \(names[$0])", $0, exif: exif(5, fractions[$0])) }
      let codes = try await outcome(inputs)
      #expect(codes == [nil, nil, nil, nil], "\(fractions)")
    }
  }

  @Test func camerasThatShootTogetherAreTwo() async throws {
    let inputs = try (0..<4).map { index in
      try write("\(index).jpg", index, exif: exif(index / 2, "250", camera: "Model \(index % 2)"))
    }
    let codes = try await outcome(inputs)
    #expect(codes == [nil, nil, nil, nil])
  }

  /// When the best picture of a shot is broken, the next one speaks for it.
  @Test func theNextBestStandsInForABrokenOne() async throws {
    var inputs: [Input] = []
    for index in 0..<4 {
      inputs.append(try write("IMG_\(index).jpg", index, exif: exif(index, "250")))
      inputs.append(try write("IMG_\(index).png", index, exif: exif(index, "250")))
    }
    let broken = folder.appending(path: "IMG_2.png")
    try Data(Data(contentsOf: broken).dropLast(5000)).write(to: broken)
    let codes = try await outcome(inputs)
    #expect(codes == ["same-shot", nil, "same-shot", nil, nil, "unreadable", "same-shot", nil])
  }

  @Test func platesAreNoFrames() async throws {
    var inputs = try (0..<4).map { try write("\($0).jpg", $0) }
    for suffix in ["jpg", "png", "tif", "webp", "heic", "avif", "jxl"] {
      inputs.append(try write("plate.\(suffix)", 7, history: "median of 4 frames"))
    }
    let codes = try await outcome(inputs)
    #expect(codes == [nil, nil, nil, nil] + Array(repeating: "plate", count: 7))
    let files = try BurstFiles(paths: [FilePath(folder.path)])
    #expect(files.pictures.map { $0.lastComponent?.string } == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"])
    #expect(files.skipped.map(\.reason) == Array(repeating: .plate, count: 7))
  }

  // MARK: - Order

  @Test func filesCountAsTheyWereNamed() throws {
    for name in ["10.jpg", "9.jpg", "2.jpg", "inner/11.jpg", "inner/3.jpg"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: "inner"), withIntermediateDirectories: true)
      try write(name, 0)
    }
    let named = ["10.jpg", "inner", "9.jpg", "2.jpg", "9.jpg"].map { FilePath(folder.appending(path: $0).path) }
    let files = try BurstFiles(paths: named)
    #expect(
      files.pictures.map { $0.string.dropFirst(folder.path.count + 1) }
        == ["10.jpg", "inner/3.jpg", "inner/11.jpg", "9.jpg", "2.jpg"])
  }

  /// Neighbours in time are told by the clock, or else by natural names, not by the order of the arguments: the plate
  /// is the same, and the report counts the arguments.
  @Test(arguments: [true, false]) func theOrderOfArgumentsDoesNotChangeThePlate(_ hasTimes: Bool) async throws {
    // With times, names tell nothing.
    let names = hasTimes ? ["h", "c", "x", "a", "q", "m", "b", "z", "k", "e", "y", "d"] : (1...12).map { "\($0)" }
    let inputs = try names.enumerated().map { index, name in
      let fraction = index % 2 == 0 ? "020" : "71"
      return try write("\(name).jpg", index, exif: hasTimes ? exif(index / 2, fraction) : nil)
    }
    let shuffled = [9, 0, 4, 11, 2, 7, 1, 10, 5, 3, 8, 6]
    for combine in [CombineOperator.clean, .median] {
      let options = try Options(combine: combine, crop: .reference)
      let straight = try await makePlate(from: inputs, options: options)
      let other = try await makePlate(from: shuffled.map { inputs[$0] }, options: options)
      #expect(straight.plate.planes == other.plate.planes)
      #expect(shuffled[other.report.reference] == straight.report.reference)
      #expect(other.report.frames.map(\.path) == shuffled.map { straight.report.frames[$0].path })
      #expect(other.report.frames.map(\.index) == Array(0..<12))
    }
  }
}
