import Foundation
import SystemPackage
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
    #expect(throws: FileError.cannotCreate(path: FilePath(folder("lost")), errno: ENOENT)) {
      try writeAtomically([1], to: folder("lost"))
    }
    #expect(throws: FileError.cannotCreate(path: FilePath(folder("a")), errno: ELOOP)) {
      try writeAtomically([1], to: folder("a"))
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("lost")) == "none/real")
  }

  @Test func specialFilesAreRefusedBeforeTheyAreWaitedFor() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    #expect(throws: FileError.special(path: FilePath(folder("pipe")), kind: .pipe)) { try readFile(folder("pipe")) }
    #expect(throws: FileError.special(path: "/dev/null", kind: .device)) { try readHead("/dev/null") }
  }

  /// What nobody holds any more goes; what is being written, and what has another name, stays.
  @Test func abandonedTemporariesAreRemoved() throws {
    let folder = try TemporaryFolder()
    let path = FilePath(folder.path)
    let unfinished = try UnfinishedFolder(in: path)
    try writeAtomically([1], to: unfinished.path.appending("half.png"))
    for name in [".cleanplate-abcdefghij-0123456789", ".cleanplate-abcdefghij-012345678", ".plate.jpg", "plate.jpg"] {
      _ = try folder.write([1], to: name)
    }
    let left = ".cleanplate-abcdefghij-9876543210"
    try FileManager.default.createDirectory(atPath: folder(left), withIntermediateDirectories: true)
    _ = try folder.write([1], to: "\(left)/original_00.png")
    removeAbandonedTemporaries(in: path)
    let held = try #require(unfinished.path.lastComponent?.string)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
        == [held, ".cleanplate-abcdefghij-012345678", ".plate.jpg", "plate.jpg"])
    #expect(try readFile(unfinished.path.appending("half.png")) == [1])
    removeOwnTemporaries(in: path)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains(held))
  }

  @Test func oneFileHasOneIdentity() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([1], to: "a")
    try FileManager.default.createDirectory(atPath: folder("sub"), withIntermediateDirectories: true)
    #expect(link(folder("a"), folder("hard")) == 0)
    for (name, target) in [("soft", "a"), ("dangling", "sub/new"), ("around", "sub")] {
      try FileManager.default.createSymbolicLink(atPath: folder(name), withDestinationPath: target)
    }
    func identity(_ name: String) throws -> FileIdentity { try #require(FileIdentity(FilePath(folder(name)))) }
    for name in ["hard", "soft", "sub/../a", "./a", "around/../a"] { #expect(try identity(name) == identity("a")) }
    for name in ["dangling", "around/new", "sub/../sub/new"] { #expect(try identity(name) == identity("sub/new")) }
    #expect(try identity("none/new") == identity("around/../none/new"))
    #expect(try identity("new") != identity("sub/new"))
    #expect(try identity("new") != identity("other"))
  }

  @Test func errorsTellCreationFromWriting() throws {
    let folder = try TemporaryFolder()
    #expect(throws: FileError.cannotCreate(path: FilePath(folder("none/a")), errno: ENOENT)) {
      try writeAtomically([1], to: folder("none/a"))
    }
    #expect(throws: FileError.cannotCreate(path: FilePath(folder.path), errno: EISDIR)) {
      try writeAtomically([1], to: folder.path)
    }
    #expect(throws: FileError.cannotWrite(path: "/dev/full", errno: ENOSPC)) {
      try writeAtomically([1], to: "/dev/full")
    }
    try writeAtomically([1], to: "/dev/null")
    #expect(throws: FileError.cannotRead(path: FilePath(folder("none")), errno: ENOENT)) {
      try readFile(folder("none"))
    }
    #expect(throws: FileError.cannotRead(path: FilePath(folder.path), errno: EISDIR)) { try readFile(folder.path) }
    #expect(throws: FileError.special(path: "/dev/zero", kind: .device)) { try readFile("/dev/zero") }
    _ = try folder.write([1, 2, 3], to: "long")
    #expect(throws: FileError.tooLong(path: FilePath(folder("long")), limit: 2)) {
      try readFile(FilePath(folder("long")), limit: 2)
    }
  }

  /// Nor is the mask ever another one, which other threads' files would get.
  @Test func newFilesGetTheRightsThatTheMaskLeaves() async throws {
    let folder = try TemporaryFolder()
    func mask() throws -> Substring {
      let status = String(decoding: try readFile("/proc/self/status"), as: UTF8.self)
      return try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
    }
    let before = try mask()
    let plain = open(folder("plain"), O_CREAT | O_WRONLY, 0o666)
    close(plain)
    let wanted = try FileManager.default.attributesOfItem(atPath: folder("plain"))[.posixPermissions] as? Int
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<50 {
        let path = FilePath(folder("\(index)"))
        group.addTask { try writeAtomically([1], to: path) }
        group.addTask {
          let now = try mask()
          #expect(now == before)
        }
      }
      try await group.waitForAll()
    }
    for index in 0..<50 {
      #expect(
        try FileManager.default.attributesOfItem(atPath: folder("\(index)"))[.posixPermissions] as? Int == wanted)
    }
  }

  /// A file may bear any time.
  @Test(arguments: [-1e11, 0, 1e10, 1e12]) func timesBeyondNanosecondsAreTheFirstOrTheLast(_ seconds: Double) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1], to: "a")
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path)
    let written = try FileStamp(FilePath(path)).written
    #expect(seconds == 0 ? written == 0 : seconds < 0 ? written < 0 : written > 1 << 62)
  }
}
