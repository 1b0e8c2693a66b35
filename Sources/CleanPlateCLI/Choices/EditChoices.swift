import ArgumentParser
import CleanPlate
import Foundation

/// What a person knows better: the options, and a file of the same.
struct EditChoices: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who must stay as the reference shows him: a mask of its size (white = keep), or a point on him. May be repeated.",
      valueName: "mask|x,y"), completion: .file())
  var protect: [PlaceArgument] = []

  @Option(
    help: ArgumentHelp(
      "A place that must come from frame n (its number from 0, or its name): a mask, or a point in the reference. May be repeated.",
      valueName: "n@mask|n@x,y"), completion: .file())
  var take: [FramePlaceArgument] = []

  @Option(
    help: ArgumentHelp(
      "Who must go: a mask over, or a point on, somebody in the reference, or in frame n. May be repeated.",
      valueName: "[n@]mask|x,y"), completion: .file())
  var remove: [FramePlaceArgument] = []

  @Option(
    help: ArgumentHelp(
      "A file of such edits, as docs/edits.schema.json describes it; the options above come after it.",
      valueName: "json"), completion: .file(extensions: ["json"]), transform: path)
  var edits: FilePath?

  func validate() throws {
    if take.contains(where: { $0.frame == nil }) {
      throw ValidationError("--take names the frame first: --take 3@1450,820.")
    }
  }

  /// The file of edits, as it is now: what it names is kept from being written over, and what it says is done.
  /// - Throws: `FileError`.
  func read() throws -> EditsText? { try edits.map { EditsText(path: $0, json: try readFile($0, limit: editsLimit)) } }

  /// The files that are read.
  func files(_ text: EditsText?) -> [FilePath] {
    let places = (protect + take.map(\.place) + remove.map(\.place)).compactMap(\.file)
    return [edits].compactMap(\.self) + (text?.masks ?? []) + places
  }

  /// All of them, in order.
  func plateEdits(_ text: EditsText?) throws -> PlateEdits {
    var all = try text?.edits() ?? PlateEdits()
    all.list += try protect.map { .keep(try $0.place()) }
    for argument in take {
      guard let frame = argument.frame else { continue }
      all.list.append(.take(frame, try argument.place.place()))
    }
    all.list += try remove.map { .remove(try $0.place.place(), from: $0.frame) }
    return all
  }
}

/// A file that holds no edits.
struct EditsFileProblem: Error {
  let path: FilePath
  let reason: EditsFileError
}

/// A file of edits that has been read.
struct EditsText {
  let path: FilePath
  let json: [UInt8]

  /// The masks that it names; none where it holds no edits, which is said when these are made.
  var masks: [FilePath] {
    let document = try? JSONDecoder().decode(PlateEdits.Document.self, from: Data(json))
    return document?.edits.compactMap(\.mask).map(maskPath) ?? []
  }

  /// - Throws: `EditsFileProblem`, and what reading its masks throws.
  func edits() throws -> PlateEdits {
    do {
      return try PlateEdits(json: json) { name in try readMask(maskPath(name), name: name) }
    } catch let error as EditsFileError {
      throw EditsFileProblem(path: path, reason: error)
    }
  }

  /// Where a mask lies: where its name leads from the file's folder.
  private func maskPath(_ name: String) -> FilePath { path.removingLastComponent().pushing(FilePath(text: name)) }
}

/// Bytes of a file of edits.
private let editsLimit = 1 << 28

private func readMask(_ path: FilePath, name: String) throws -> PlaceMask {
  PlaceMask(try decode(readFile(path, limit: 1 << 30), name: name))
}

/// A place on the command line.
enum PlaceArgument: ExpressibleByArgument {
  case point(Point)
  case mask(path: FilePath)

  init(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    // Also one that lies outside: of a file called so nobody would understand that it is missing.
    if numbers.count == 2, let x = numbers[0], let y = numbers[1], x.isFinite, y.isFinite {
      self = .point(Point(x: x, y: y))
    } else {
      self = .mask(path: FilePath(text: argument))
    }
  }

  var file: FilePath? {
    if case .mask(let path) = self { path } else { nil }
  }

  func place() throws -> Place {
    switch self {
    case .point(let point): .point(point)
    case .mask(let path): .mask(try readMask(path, name: path.text))
    }
  }
}

/// A place and the frame it is about; nil where none is named.
struct FramePlaceArgument: ExpressibleByArgument {
  let frame: FrameKey?
  let place: PlaceArgument

  init(argument: String) {
    guard let at = argument.lastIndex(of: "@"), at != argument.startIndex else {
      (frame, place) = (nil, PlaceArgument(argument: argument))
      return
    }
    let name = String(argument[..<at])
    frame = Int(name).map(FrameKey.index) ?? .name(FilePath(text: name).text)
    place = PlaceArgument(argument: String(argument[argument.index(after: at)...]))
  }
}
