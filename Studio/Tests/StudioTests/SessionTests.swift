import CleanPlate
import Foundation
import Testing

@testable import StudioServer

/// What a session keeps in mind.
struct SessionTests {
  @Test func editsAreUndoneAndDoneAgain() {
    let first = PlateEdit.keep(.point(Point(x: 1, y: 2)))
    let second = PlateEdit.remove(.point(Point(x: 3, y: 4)), from: nil)
    var history = EditHistory()
    #expect(!history.canUndo && !history.canRedo)
    history.set([first])
    history.set([first, second])
    history.undo()
    #expect(history.list == [first] && history.canRedo)
    history.redo()
    #expect(history.list == [first, second] && !history.canRedo)
    history.undo()
    history.undo()
    history.undo()
    #expect(history.list.isEmpty && !history.canUndo)
    history.set([second])
    #expect(!history.canRedo, "another way was taken")
  }

  @Test func editsNameFramesAsTheirReaderDoes() throws {
    let members = ["IMG_1.jpg", "IMG_2.jpg", "IMG_2.jpg"].enumerated().map { index, name in
      Member(path: FilePath("/tmp/frame_00\(index + 1).jpg"), shownName: name)
    }
    let edits = PlateEdits(
      [.take(.index(0), .point(Point(x: 1, y: 1))), .remove(.point(Point(x: 2, y: 2)), from: .index(2))],
      reference: .index(1))
    let shown = try #require(members.renaming(edits) { members.key(of: $0, shown: true) })
    #expect(shown.list[0] == .take(.name("IMG_1.jpg"), .point(Point(x: 1, y: 1))))
    #expect(shown.list[1] == .remove(.point(Point(x: 2, y: 2)), from: .index(2)), "two have its name")
    let kept = try #require(members.renaming(edits) { members.key(of: $0, shown: false) })
    #expect(kept.reference == .name("frame_002.jpg"))
    #expect(members.renaming(kept) { .index($0) } == edits)
    #expect(members.renaming(shown) { .index($0) } == edits)
    #expect(members.renaming(PlateEdits([.take(.name("x.jpg"), .point(Point(x: 0, y: 0)))])) { .index($0) } == nil)
  }

  @Test func archivesAreRead() throws {
    let folder = try TemporaryFolder()
    let bytes = Array("hello".utf8)
    let archive =
      TarArchive.header(name: "a.txt", byteCount: bytes.count) + bytes + TarArchive.padding(byteCount: bytes.count)
      + TarArchive.end
    try Data(archive).write(to: URL(fileURLWithPath: folder.path.appending("a.tar").string))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["tar", "-C", folder.path.string, "-xf", folder.path.appending("a.tar").string]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try readFile(folder.path.appending("a.txt")) == bytes)
  }

  /// Requests are answered while all threads for pixels are busy: these work until the requests are through.
  @Test(.timeLimit(.minutes(1))) func workTakesNoneOfSwiftsThreads() async throws {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let pool = WorkPool(threads: 2 * cores)
    let isThrough = DispatchSemaphore(value: 0)
    async let busy: Void = pool.run {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 * cores - 1 { group.addTask { block(on: isThrough) } }
      }
    }
    for _ in 0..<10 { try await Task.sleep(for: .milliseconds(1)) }
    for _ in 0..<2 * cores { isThrough.signal() }
    try await busy
  }
}

private func block(on semaphore: DispatchSemaphore) { semaphore.wait() }
