import CleanPlate
import Foundation

/// What a worker is told when it starts: one line of JSON on its standard input.
struct WorkerSetup: Sendable, Codable {
  /// What its session begins with.
  enum Beginning: Sendable, Codable {
    /// No frames.
    case empty
    /// A burst that lies in files.
    case burst([FilePath])
    /// The session that is kept under its own name.
    case kept
  }

  var id: UUID
  /// The session's own folder: what is sent lies there, and the socket.
  var folder: FilePath
  /// Where sessions are kept.
  var keepFolder: FilePath
  var threads: Int
  var limits: Limits
  var beginning: Beginning
}

/// What a worker tells when it has started: one line of JSON on its standard output.
enum WorkerWord: Sendable, Codable {
  /// It answers.
  case ready
  /// The session cannot begin so.
  case refused(status: Int, SessionState.Problem)
}

extension Encodable {
  /// On one line, with its end.
  func line() throws -> [UInt8] { [UInt8](try JSONEncoder().encode(self)) + [UInt8(ascii: "\n")] }
}
