import Foundation
import Frames
import SystemPackage
import Testing

@testable import Codecs

/// A smooth picture with colours and edges, so that lossy formats come close and mistakes show.
func testFrame(
  _ width: Int, _ height: Int, bits: Int = 8, encoding: PixelEncoding = .yCbCr(.bt601, .full),
  chroma: PlaneGrid = .full, metadata: Metadata = Metadata()
) throws -> Frame {
  let grids: [PlaneGrid] = encoding.planeCount == 1 || encoding == .rgb ? [] : [.full, chroma, chroma]
  let planes = try (0..<encoding.planeCount).map { index in
    let grid = grids.isEmpty ? PlaneGrid.full : grids[index]
    let size = grid.planeSize(for: Size(width: width, height: height))
    return try Plane(width: size.width, height: size.height, bits: bits) { x, y in
      let u = (Double(grid.scaleX * x) + grid.offsetX) / 64
      let v = (Double(grid.scaleY * y) + grid.offsetY) / 48
      let wave = sin(2.1 * u + Double(index)) * cos(1.7 * v - Double(index)) + 0.3 * sin(u * v)
      return Int((0.5 + 0.3 * wave) * Double((1 << bits) - 1))
    }
  }
  return Frame(
    planes: planes, grids: grids.isEmpty ? nil : grids, encoding: encoding, name: "test", metadata: metadata)
}

/// The largest difference between samples; both planes must be of one size.
func largestDifference(_ a: Plane, _ b: Plane) -> Int {
  guard a.width == b.width, a.height == b.height, a.bits == b.bits else { return .max }
  var largest = 0
  for y in 0..<a.height {
    for x in 0..<a.width { largest = max(largest, abs(a[x, y] - b[x, y])) }
  }
  return largest
}

func largestDifference(_ a: Frame, _ b: Frame) -> Int {
  guard a.encoding == b.encoding, a.grids == b.grids else { return .max }
  return zip(a.planes, b.planes).map { largestDifference($0, $1) }.max() ?? 0
}

/// A mean of absolute differences over all planes.
func meanDifference(_ a: Frame, _ b: Frame) -> Double {
  guard a.encoding == b.encoding, a.grids == b.grids, a.size == b.size else { return .infinity }
  var (sum, count) = (0, 0)
  for (p, q) in zip(a.planes, b.planes) {
    for y in 0..<p.height {
      for x in 0..<p.width { sum += abs(p[x, y] - q[x, y]) }
    }
    count += p.width * p.height
  }
  return Double(sum) / Double(count)
}

extension Frame {
  /// The same picture as R, G, B.
  func asRGB(bits: Int? = nil) throws -> Frame {
    try converted(to: PixelLayout(encoding: .rgb, bits: bits ?? self.bits))
  }
}

/// A program that tests use as an independent witness.
struct Tool {
  let path: String

  /// By the name that Debian gives it: `convert` alone may be something else.
  static let imageMagick = "convert-im6.q16"

  init(_ name: String) throws {
    guard let path = Tool.find(name) else { throw ToolError(message: "\(name) is not installed") }
    self.path = path
  }

  static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static func has(_ names: String...) -> Bool { names.allSatisfy { find($0) != nil } }

  /// Runs the program to its end.
  /// - Returns: what it wrote to standard output.
  @discardableResult
  func callAsFunction(_ arguments: String...) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ToolError(message: "\(path) \(arguments) ended with \(process.terminationStatus)")
    }
    return Array(data)
  }
}

struct ToolError: Error {
  let message: String
}

/// A folder that is removed with its contents.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("\(NSTemporaryDirectory())/cleanplate-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ToolError(message: "no temporary folder") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let path = self(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}

// Paths of tests are strings.

func readFile(_ path: String) throws(FileError) -> [UInt8] { try readFile(FilePath(path)) }

func writeAtomically(_ bytes: [UInt8], to path: String) throws(FileError) {
  try writeAtomically(bytes, to: FilePath(path))
}

extension FFmpegReader {
  convenience init(path: String, options: DecodeOptions = DecodeOptions()) throws(CodecError) {
    try self.init(path: FilePath(path), options: options)
  }
}

func decodeFile(_ path: String, options: DecodeOptions = DecodeOptions()) throws -> Frame {
  try decode(try readFile(path), name: path, options: options)
}

/// A binary PPM or PGM, as `djpeg` and others write it.
func readPNM(_ bytes: [UInt8], name: String = "pnm") throws -> Frame {
  var position = 0
  func token() -> String {
    while bytes[position] <= 32 { position += 1 }
    let start = position
    while bytes[position] > 32 { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
  let channels = token() == "P6" ? 3 : 1
  let (width, height, maximum) = (Int(token())!, Int(token())!, Int(token())!)
  position += 1
  let (wide, start) = (maximum > 255, position)
  let bits = maximum.bitWidth - maximum.leadingZeroBitCount
  let planes = try (0..<channels).map { channel in
    try Plane(width: width, height: height, bits: max(bits, 8)) { x, y in
      let at = start + ((y * width + x) * channels + channel) * (wide ? 2 : 1)
      return wide ? Int(bytes[at]) << 8 | Int(bytes[at + 1]) : Int(bytes[at])
    }
  }
  return Frame(planes: planes, encoding: channels == 3 ? .rgb : .grey(.full), name: name)
}

/// A binary PPM or PGM.
func writePNM(_ frame: Frame) -> [UInt8] {
  let magic = frame.planes.count == 3 ? "P6" : "P5"
  var bytes = Array("\(magic)\n\(frame.size.width) \(frame.size.height)\n\((1 << frame.bits) - 1)\n".utf8)
  for y in 0..<frame.size.height {
    for x in 0..<frame.size.width {
      for plane in frame.planes {
        if frame.bits > 8 { bytes.append(UInt8(plane[x, y] >> 8)) }
        bytes.append(UInt8(plane[x, y] & 0xFF))
      }
    }
  }
  return bytes
}
