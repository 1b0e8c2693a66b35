import Codecs
import Foundation
import Frames
import SystemPackage

/// What is known of a plate that was made, or refused, in a folder of plates: its burst, and from what and how.
struct BatchEntry: Codable, Sendable {
  var version = 1
  /// The plate's name in the folder.
  var plate: String
  /// The template that the name was made of.
  var template: String
  /// By which a burst is found again.
  var identity: [String]
  /// The program's version, and what it was asked to do.
  var program: String
  var recipe: BatchRecipe
  var inputs: [BatchInput]
  /// Of the plate's bytes; nil when there is none.
  var digest: String?
  /// Why there is none.
  var refusal: String?
  /// Of plates that stood under this name before.
  var earlier: [String]
  var report: Report?

  /// - Throws: `FileError`.
  init(_ path: FilePath) throws {
    self = try JSONDecoder().decode(BatchEntry.self, from: Data(try readFile(path, limit: 1 << 28)))
  }

  init(
    plate: String, template: NameTemplate, identity: [String], recipe: BatchRecipe, inputs: [BatchInput],
    digest: String? = nil, refusal: String? = nil, earlier: [String], report: Report? = nil
  ) {
    (self.plate, self.template, self.identity) = (plate, template.text, identity)
    (program, self.recipe, self.inputs) = (programVersion, recipe, inputs)
    (self.digest, self.refusal, self.earlier, self.report) = (digest, refusal, earlier, report)
  }

  func json() throws -> [UInt8] { try sortedJSON(spread: false) + [UInt8(ascii: "\n")] }

  /// Digests of all plates that were made under its name.
  var ownDigests: Set<String> { Set(earlier + [digest].compactMap(\.self)) }
}

/// All that a plate depends on beside its frames.
struct BatchRecipe: Codable, Sendable, Hashable {
  var align: AlignmentModel
  var combine: CombineOperator
  var crop: CropMode
  var mesh: Bool
  var detector: [String]
  var bits: Int?
  var acceptsDamaged: Bool
  var format: String
  var quality: Int
  var depth: Int?
  var strip: Bool

  init(_ options: Options, _ encoding: EncodeOptions) {
    (align, combine, crop, mesh) = (options.align, options.combine, options.crop, options.mesh)
    detector = options.combine == .clean ? options.detector.files.map(Self.describe) : []
    (bits, acceptsDamaged) = (options.bits, options.acceptsDamaged)
    (format, quality, strip) = (encoding.format.rawValue, encoding.quality, encoding.strip)
    if case .bits(let bits) = encoding.depth { depth = bits }
  }

  /// Name and length tell one network from another.
  private static func describe(_ file: FilePath) -> String {
    "\(file.lastComponent?.string ?? "") \((try? fileByteCount(file)) ?? 0)"
  }
}

/// A file that a plate was made of.
struct BatchInput: Codable, Sendable, Hashable {
  /// As `FilePath.text`, absolute.
  var path: String
  var stamp: FileStamp
  /// The SHA-256 of its bytes.
  var digest: String

  /// Whether the file is still what it was: read only where it looks as if it were not.
  func isSame(as file: FilePath) -> Bool {
    guard let now = try? FileStamp(file), now.byteCount == stamp.byteCount else { return false }
    if now == stamp, path == file.text { return true }
    guard let bytes = try? readFile(file) else { return false }
    return sha256(bytes) == digest
  }
}
