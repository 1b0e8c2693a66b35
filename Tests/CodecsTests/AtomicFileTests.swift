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

  /// A link that leads nowhere yet is a name for the file that is to come.
  @Test(arguments: [true, false]) func danglingLinksTargetIsMade(_ isRelative: Bool) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder("other"), withIntermediateDirectories: true)
    let target = isRelative ? "other/real" : folder("other/real")
    try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: target)
    try FileManager.default.createSymbolicLink(atPath: folder("chain"), withDestinationPath: "link")
    for (name, contents) in [("chain", [UInt8(9)]), ("link", [7])] {
      try writeAtomically(contents, to: folder(name))
      #expect(try readFile(folder("other/real")) == contents)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("link")) == target)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("chain")) == "link")
      try FileManager.default.removeItem(atPath: folder("other/real"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("other")).isEmpty)
  }

  @Test func linksThatLeadNowhereAreRefused() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder("lost"), withDestinationPath: "none/real")
    try FileManager.default.createSymbolicLink(atPath: folder("a"), withDestinationPath: "b")
    try FileManager.default.createSymbolicLink(atPath: folder("b"), withDestinationPath: "a")
    #expect(throws: FileError.cannotCreate(path: folder("lost"), errno: ENOENT)) {
      try writeAtomically([1], to: folder("lost"))
    }
    #expect(throws: FileError.cannotCreate(path: folder("a"), errno: ELOOP)) {
      try writeAtomically([1], to: folder("a"))
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("lost")) == "none/real")
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
