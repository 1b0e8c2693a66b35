import Foundation
import Testing

@testable import CleanPlate

/// Out of an archive come the files that were pinned, or none.
struct DetectorArchiveTests {
  private func archive(pinning contents: [String: String]) throws -> (DetectorArchive, FilePath, URL) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder.appending(path: "x/y"), withIntermediateDirectories: true)
    for (name, text) in ["a.cfg": "network", "b.weights": "what it learned"] {
      try Data(text.utf8).write(to: folder.appending(path: "x/y/\(name)"))
    }
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/bin/tar")
    tar.arguments = ["-czf", "archive.tar.gz", "x"]
    tar.currentDirectoryURL = folder
    try tar.run()
    tar.waitUntilExit()
    let path = FilePath(folder.appending(path: "archive.tar.gz").path)
    let pinned = DetectorArchive(
      address: "https://example.invalid/", digest: try #require(sha256(readFile(path))), folder: "x/y",
      files: contents.mapValues { sha256(Array($0.utf8)) ?? "" })
    return (pinned, path, folder)
  }

  @Test func theFilesComeOut() throws {
    let (archive, path, folder) = try archive(pinning: ["a.cfg": "network", "b.weights": "what it learned"])
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = FilePath(folder.appending(path: "data/cleanplate").path)
    try archive.fetch(from: path, to: target)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: target.string)) == ["a.cfg", "b.weights"])
    #expect(try readFile(target.appending("b.weights")) == Array("what it learned".utf8))
  }

  @Test(arguments: [["a.cfg": "another"], ["c.cfg": "network"]]) func othersDoNot(_ pinned: [String: String]) throws {
    let (archive, path, folder) = try archive(pinning: pinned)
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = FilePath(folder.appending(path: "data").path)
    #expect(throws: DetectorFetchError.self) { try archive.fetch(from: path, to: target) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.string) == [])
  }
}
