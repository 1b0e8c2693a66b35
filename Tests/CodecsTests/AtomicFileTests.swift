import Foundation
import Testing

@testable import Codecs

@Suite struct AtomicFileTests {
  @Test func fileAppearsWholeAndAlone() throws {
    let folder = try TemporaryFolder()
    try writeAtomically([1, 2, 3], to: folder("a.bin"))
    try writeAtomically([4, 5], to: folder("a.bin"))
    #expect(try readFile(folder("a.bin")) == [4, 5])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.bin"])
  }

  @Test func linksTargetIsReplaced() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([0], to: "real")
    try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("real"))
    try writeAtomically([9], to: folder("link"))
    #expect(try readFile(folder("real")) == [9])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("link")) == folder("real"))
  }

  @Test func errorsTellCreationFromWriting() throws {
    let folder = try TemporaryFolder()
    #expect(throws: FileError.cannotCreate(path: folder("none/a"), errno: ENOENT)) {
      try writeAtomically([1], to: folder("none/a"))
    }
    #expect(throws: FileError.cannotCreate(path: folder.path, errno: EISDIR)) {
      try writeAtomically([1], to: folder.path)
    }
    #expect(throws: FileError.cannotWrite(path: "/dev/full", errno: ENOSPC)) {
      try writeAtomically([1], to: "/dev/full")
    }
    try writeAtomically([1], to: "/dev/null")
    #expect(throws: FileError.cannotRead(path: folder("none"), errno: ENOENT)) { try readFile(folder("none")) }
    #expect(throws: FileError.cannotRead(path: folder.path, errno: EISDIR)) { try readFile(folder.path) }
    #expect(throws: FileError.tooLong(path: "/dev/zero", limit: 1 << 20)) { try readFile("/dev/zero", limit: 1 << 20) }
  }
}
