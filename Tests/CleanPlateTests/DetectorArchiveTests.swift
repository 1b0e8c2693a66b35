import Foundation
import Testing

@testable import CleanPlate

/// Out of archives come the files that were pinned, or none.
struct DetectorArchiveTests {
  private let folder: URL
  private var target: FilePath { FilePath(folder.appending(path: "data/cleanplate").path) }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder.appending(path: "x/y"), withIntermediateDirectories: true)
    for (name, text) in ["a.cfg": "network", "b.weights": "what it learned"] {
      try Data(text.utf8).write(to: folder.appending(path: "x/y/\(name)"))
    }
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
  }

  private func archive(
    _ kind: DetectorArchive.Kind = .tarball, pinning contents: [String: String]
  ) throws -> (DetectorArchive, FilePath) {
    switch kind {
    case .tarball: try run("tar", ["-czf", "archive.tar.gz", "x"])
    case .zip: try run("python3", ["-m", "zipfile", "-c", "archive.zip", "x"])
    }
    let path = FilePath(folder.appending(path: kind == .zip ? "archive.zip" : "archive.tar.gz").path)
    let pinned = DetectorArchive(
      address: "https://example.invalid/", digest: try #require(sha256(readFile(path))), kind: kind,
      files: contents.sorted { $0.key < $1.key }.map { name, text in
        PinnedFile(name: "my-\(name)", member: "x/y/\(name)", digest: sha256(Array(text.utf8)) ?? "")
      })
    return (pinned, path)
  }

  @Test(arguments: [DetectorArchive.Kind.tarball, .zip]) func theFilesComeOut(_ kind: DetectorArchive.Kind) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (archive, path) = try archive(kind, pinning: ["a.cfg": "network", "b.weights": "what it learned"])
    try fetch([archive], from: [path], to: target)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: target.string)) == ["my-a.cfg", "my-b.weights"])
    #expect(try readFile(target.appending("my-b.weights")) == Array("what it learned".utf8))
  }

  /// What is right already is neither asked for nor written again.
  @Test func onlyWhatIsMissingIsFetched() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (first, path) = try archive(pinning: ["a.cfg": "network"])
    try fetch([first], from: [path], to: target)
    let (second, other) = try archive(.zip, pinning: ["b.weights": "what it learned"])
    try fetch([first, second], from: [other], to: target)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: target.string)) == ["my-a.cfg", "my-b.weights"])
  }

  @Test(arguments: [["a.cfg": "another"], ["c.cfg": "network"]]) func othersDoNot(_ pinned: [String: String]) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (archive, path) = try archive(pinning: pinned)
    #expect(throws: DetectorFetchError.self) { try fetch([archive], from: [path], to: target) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.string) == [])
  }

  @Test func anArchiveThatNobodyAskedForIsRefused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (archive, path) = try archive(pinning: ["a.cfg": "network"])
    let stranger = path.removingLastComponent().appending("x/y/a.cfg")
    #expect(throws: DetectorFetchError.wrongArchive(name: stranger.string)) {
      try fetch([archive], from: [path, stranger], to: target)
    }
  }
}
