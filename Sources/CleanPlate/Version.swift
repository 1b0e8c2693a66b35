/// The version of program and library (semantic versioning).
public let programVersion = "0.2.0"
