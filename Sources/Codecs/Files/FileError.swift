public import SystemPackage

/// Why a file could not be read or written.
public enum FileError: Error, Sendable, Hashable {
  /// `errno` tells why the file could not be opened or read.
  case cannotRead(path: FilePath, errno: Int32)
  /// Neither a file nor a folder: reading it could wait for ever or never end.
  case special(path: FilePath, kind: SpecialFile)
  /// Longer than `limit` bytes.
  case tooLong(path: FilePath, limit: Int)
  /// Nothing could be made at the path (no folder, no permission, a folder of that name).
  case cannotCreate(path: FilePath, errno: Int32)
  /// Writing failed on the way (disk full).
  case cannotWrite(path: FilePath, errno: Int32)
}

/// What a path can stand for that is neither a file nor a folder.
public enum SpecialFile: Sendable, Hashable, Codable {
  case pipe, device, socket
}
