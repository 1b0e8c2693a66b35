import ArgumentParser
import CleanPlate
import Comparison
import Foundation

/// Runs a command's work; an error ends the program with words that say what is wrong, with which file and what to
/// do, and with its documented exit code.
func reportingErrors<Result: Sendable>(
  _ console: Console, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  do {
    return try await cancellingOnSignals(body)
  } catch is CancellationError {
    console.close()
    throw ExitCode.interrupted
  } catch {
    console.close()
    let (words, code) = explain(error)
    console.note("error: \(words)")
    throw code
  }
}

/// An error in words, and the exit code that goes with it.
func explain(_ error: any Error) -> (words: String, code: ExitCode) {
  switch error {
  case let error as BurstError: (error.words, .noInput)
  case let error as OptionError: (error.words, .usage)
  case let error as OutputError: error.explanation
  case let error as PlateError: error.explanation
  case let error as CodecError: error.explanation
  case let error as ProtectionError: error.explanation
  case let error as PictureError:
    ("'\(error.path)' cannot be used: \(error.reason.words). Name another picture.", .dataError)
  case let error as EarlierReportError:
    ("'\(error.path)' is no report: \(error.reason.words)", .dataError)
  case let error as ReportError: ("The report given with --alignment does not fit: \(error.words)", .dataError)
  case let error as ComparisonError: error.explanation
  case let error as FileError: error.explanation
  case let error as AllocationError: (error.words, .inputOutput)
  default: ("\(error). This should not happen; please report it.", .internalError)
  }
}

extension BurstError {
  var words: String {
    switch self {
    case .missing(let path): "'\(path)' does not exist. Check the name."
    case .unreadableFolder(let path): "The folder '\(path)' cannot be read. Check its permissions."
    case .noPictures(let folder): "The folder '\(folder)' holds no picture. Name a folder with the photos of one scene."
    }
  }
}

extension OptionError {
  var words: String {
    switch self {
    case .threads(let count): "--threads takes a number from 1 to 1024, not \(count)."
    case .reference(let index): "--reference takes auto or a frame's number from 0, not \(index)."
    case .bits(let bits): "--depth takes 8, 16 or auto, not \(bits)."
    case .protect(let combine):
      "--protect goes with --combine clean, not with \(combine.rawValue), which follows no frame more than another."
    case .foreground(let combine):
      "--foreground: --combine \(combine.rawValue) removes nobody, so there is nobody to cut out. Use clean, median or mode."
    case .memory(let bytes): "--memory takes at least 1M, not \(bytes) bytes."
    }
  }
}

extension OutputError {
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .isInput(let path):
      ("'\(path)' is one of the inputs and will not be overwritten. Choose another name.", .usage)
    case .twice(let path): ("Two outputs are the same file, '\(path)'. Give each its own name.", .usage)
    case .noFolder(let output, let folder):
      ("'\(output)' cannot be written: the folder '\(folder)' does not exist. Make it first.", .cannotCreate)
    case .closedFolder(let output, let folder):
      (
        "'\(output)' cannot be written: no permission to write to the folder '\(folder)'. Choose another.",
        .cannotCreate
      )
    case .cannotMakeFolder(let path):
      ("The folder '\(path)' cannot be made. Check its name and the permissions around it.", .cannotCreate)
    case .isFolder(let path): ("'\(path)' is a folder. Name a file.", .cannotCreate)
    }
  }
}

/// What helps where too few pictures can be used.
private func advice(for rejected: [PlateError.LeftOut]) -> String {
  let codes = Set(rejected.map(\.reason.code))
  if codes == ["unreadable"] { return "Check the files that cannot be read." }
  if codes.isSubset(of: ["unreadable", "different-encoding"]) { return "Give pictures of one kind." }
  if codes == ["repeating"] {
    return "The picture repeats itself: include something that does not, or hold the camera stiller."
  }
  return "Take them from one place, overlapping by most of their width."
}

extension PlateError {
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .tooFewInputs(let count):
      (
        "A plate needs at least 2 pictures of one scene, and \(count == 1 ? "only 1 was" : "none was") given. Add more.",
        .noInput
      )
    case .tooFewGoodFrames(let accepted, let rejected):
      (
        "Only \(accepted) of \(accepted + rejected.count) pictures can be used, and a plate needs 2. "
          + advice(for: rejected), .dataError
      )
    case .referenceOutOfRange(let index, let count):
      ("--reference \(index): the burst has frames 0 to \(count - 1).", .usage)
    case .noSuchReference(let name):
      ("--reference '\(name)' is none of the pictures. Name one of them, or its number from 0.", .usage)
    case .referenceUnusable(let name, let reason):
      ("The reference '\(name)' cannot be used: \(reason.words). Choose another with --reference.", .dataError)
    case .nothingInCommon:
      ("No part of the scene is in all pictures. Leave the outliers out, or use --crop reference.", .dataError)
    case .detectorUnusable(let path, let reason):
      ("The detector '\(path)' cannot be used: \(reason). Fetch it anew, or use --detector off.", .noInput)
    }
  }
}

extension ProtectionError {
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .maskSize(let size, let reference):
      ("--protect: the mask is \(size), but the reference is \(reference). Make them equal.", .dataError)
    case .noDetector:
      ("--protect X,Y needs a detector. Fetch one with Scripts/fetch-detector, or give a mask.", .usage)
    case .nobodyThere(let point):
      (
        "--protect: nobody is seen at \(Int(point.x)),\(Int(point.y)) of the reference. Give a mask instead.",
        .dataError
      )
    }
  }
}

extension FileError {
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .cannotRead: ("'\(path)': \(words). Check the name and its permissions.", .noInput)
    case .tooLong: ("'\(path)': \(words). Leave it out.", .dataError)
    case .cannotCreate: ("'\(path)': \(words). Choose another place.", .cannotCreate)
    case .cannotWrite: ("'\(path)': \(words). Free some space or choose another place.", .inputOutput)
    }
  }
}

extension ComparisonError {
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .differentSizes(let a, let b):
      ("The pictures differ in size, \(a) and \(b). Only pictures of one size can be compared.", .dataError)
    case .allocation(let error): (error.words, .inputOutput)
    }
  }
}

extension ReportError {
  var words: String {
    switch self {
    case .unreadable: "it is not a report of version 1. Name a file that --report wrote."
    case .differentCount(let report, let burst):
      "it describes \(report) frames, and \(burst) were given. Give the same files in the same order."
    case .differentName(let index, let report, let burst):
      "its frame \(index) is '\(report)', and '\(burst)' was given. Give the same files in the same order."
    case .differentSize(let name, let report, let burst):
      "it has \(report) pixels for '\(name)', which has \(burst). Give the same files."
    case .badHomography(let name): "it holds no usable homography for '\(name)'. Register anew."
    case .noReference(let index): "its reference, frame \(index), cannot be read. Register anew."
    }
  }
}

extension CodecError {
  /// For errors that end a run: of a video, of standard input, or while a result is encoded.
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .programMissing: ("The video cannot be read: \(words).", .unavailable)
    case .allocation(_, let error): (error.words, .inputOutput)
    default:
      (name.map { "'\($0)' cannot be used: \(words)." } ?? "The result cannot be written: \(words).", .dataError)
    }
  }
}
