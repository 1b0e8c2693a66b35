import ArgumentParser

/// Exit codes after BSD's sysexits.h.
extension ExitCode {
  static let usage = ExitCode(64)
  static let dataError = ExitCode(65)
  static let noInput = ExitCode(66)
  /// A program that is needed is not installed, or the shell's limits leave too little.
  static let unavailable = ExitCode(69)
  static let internalError = ExitCode(70)
  static let cannotCreate = ExitCode(73)
  static let inputOutput = ExitCode(74)

  /// What the codes mean, as help and manual pages tell it.
  static let table = """
    Exit codes:
      0    done
      1    compare: the pictures differ by more than the tolerance
      \(usage.rawValue)   wrong usage
      \(dataError.rawValue)   unusable pictures
      \(noInput.rawValue)   no input
      \(unavailable.rawValue)   a needed program or address is missing, or a limit of the shell too low
      \(internalError.rawValue)   a mistake of ours
      \(cannotCreate.rawValue)   output cannot be created
      \(inputOutput.rawValue)   writing failed
      128+n  interrupted by signal n (130 by Ctrl-C, 143 by kill)
    """
}
