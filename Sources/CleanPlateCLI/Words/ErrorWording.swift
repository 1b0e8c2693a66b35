import ArgumentParser
import CleanPlate
import Comparison
import Foundation
import ShimSupport

/// Runs a command's work; an error ends the program with words that say what is wrong, with which file and what to
/// do, and with its documented exit code.
///
/// What runs that were killed have left in the folders goes first.
/// - Parameter folders: where the command writes files.
func reportingErrors<Result: Sendable>(
  _ console: Console, writingIn folders: [FilePath] = [], _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  if let words = ShellLimits.tooTight() {
    console.error(words)
    throw ExitCode.unavailable
  }
  for folder in folders { removeAbandonedTemporaries(in: folder) }
  do {
    return try await Interruption.run(writingIn: folders, body)
  } catch let code as ExitCode {
    console.close()
    throw code
  } catch {
    let (words, code) = explain(error)
    console.error(words)
    throw code
  }
}

/// An error in words, and the exit code that goes with it.
func explain(_ error: any Error) -> (words: String, code: ExitCode) {
  switch error {
  case let error as OutputError: error.explanation
  case let error as SeveralBursts: (error.explanation, .dataError)
  case let error as PictureError:
    ("'\(error.path.text)' cannot be used: \(error.reason.words). Name another picture.", .dataError)
  case let error as EarlierReportError:
    ("'\(error.path.text)' cannot stand in for registration: \(words(of: error.reason))", .dataError)
  case let error as EditsFileProblem:
    ("'\(error.path.text)' cannot be used as edits: \(words(of: error.reason))", .dataError)
  case let error as ComparisonError: error.explanation
  case let error as any WordedError: (words(of: error), code(of: error))
  default: ("\(error). This should not happen; please report it.", .internalError)
  }
}

/// The library's words, with options as they are typed.
private func words(of error: any WordedError) -> String { error.explanation { "--\($0)" }.text }

private func code(of error: any WordedError) -> ExitCode {
  switch error {
  case is BurstError, PlateError.tooFewInputs, PlateError.detectorUnreadable, PlateError.detectorUnusable,
    FileError.cannotRead, FileError.special:
    .noInput
  case is OptionError, is BurstSearchError, is NameTemplateError, PlateError.referenceOutOfRange,
    PlateError.noSuchReference, EditError.noSuchFrame, EditError.outside:
    .usage
  case CodecError.programMissing, DetectorFetchError.programMissing, DetectorFetchError.noDownload: .unavailable
  case FileError.cannotCreate: .cannotCreate
  case FileError.cannotWrite, CodecError.allocation, is AllocationError: .inputOutput
  case let error as ShimError: error.kind == .outOfMemory ? .inputOutput : .internalError
  default: .dataError
  }
}

extension OutputError {
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .isInput(let path):
      ("'\(path.text)' is one of the inputs and will not be overwritten. Choose another name.", .usage)
    case .twice(let path): ("Two outputs are the same file, '\(path.text)'. Give each its own name.", .usage)
    case .noFolder(let output, let folder):
      ("'\(output.text)' cannot be written: the folder '\(folder.text)' does not exist. Make it first.", .cannotCreate)
    case .notAFolder(let output, let folder):
      ("'\(output.text)' cannot be written: '\(folder.text)' is no folder. Choose another name.", .cannotCreate)
    case .closedFolder(let output, let folder):
      (
        "'\(output.text)' cannot be written: no permission to write to the folder '\(folder.text)'. Choose another.",
        .cannotCreate
      )
    case .isFolder(let path): ("'\(path.text)' is a folder. Name a file.", .cannotCreate)
    }
  }
}

extension ComparisonError {
  var explanation: (words: String, code: ExitCode) {
    switch self {
    case .differentSizes(let a, let b):
      ("The pictures differ in size, \(a) and \(b). Only pictures of one size can be compared.", .dataError)
    case .allocation(let error): explain(error)
    }
  }
}
