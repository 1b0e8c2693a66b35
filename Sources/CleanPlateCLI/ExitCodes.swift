import ArgumentParser

/// Exit codes after BSD's sysexits.h.
extension ExitCode {
  static let usage = ExitCode(64)
  static let dataError = ExitCode(65)
  static let noInput = ExitCode(66)
  /// A program that is needed is not installed.
  static let unavailable = ExitCode(69)
  static let internalError = ExitCode(70)
  static let cannotCreate = ExitCode(73)
  static let inputOutput = ExitCode(74)
}
