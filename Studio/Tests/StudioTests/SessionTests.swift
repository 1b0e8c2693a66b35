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

  /// Frames go before advice, which must come all the same, and be about all of them.
  @Test(.timeLimit(.minutes(2))) func adviceComesWithTheLastFrame() async throws {
    let folder = try TemporaryFolder()
    let paths = try plaza()
    let expected = LivePlate(threads: 2)
    for path in paths { try await expected.add(try Input.file(path: path).decoded(DecodeOptions())) }
    let prospect = try #require(try await expected.prospect())

    let session = session(in: folder)
    let states = session.watchers.watch(await session.state)
    var taken = 0
    for await state in states {
      // One after another, the next as soon as the one before is shown.
      if taken < paths.count, state.live.frames == taken {
        await session.take([Member(path: paths[taken])])
        taken += 1
      }
      if state.live.frames == paths.count, state.live.places == prospect.places, state.live.share == prospect.share {
        break
      }
    }
    #expect(await session.state.live.advice == prospect.advice)
  }

  /// What comes to a session after it was kept is kept with it when that is asked for again.
  @Test func framesThatComeLaterAreKeptToo() async throws {
    let folder = try TemporaryFolder()
    let parent = folder.path.appending("kept")
    try FileManager.default.createDirectory(atPath: parent.string, withIntermediateDirectories: true)
    let members = try plaza().map { Member(path: $0) }
    let session = session(in: folder)
    await session.take(Array(members.prefix(2)))
    let kept = try await session.keep(under: parent)
    #expect(await session.state.isKept)
    await session.take([members[2]])
    #expect(await !session.state.isKept, "a frame is not kept")
    #expect(try await session.keep(under: parent) == kept)
    #expect(await session.state.isKept)
    let files = try KeptSession.read(kept).frames.map(\.file)
    #expect(files == members.prefix(3).map(\.fileName))
    for (file, member) in zip(files, members) {
      #expect(try readFile(kept.appending(file)) == readFile(member.path))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent.string).count == 1)
  }

  /// Frames of a film with bars: what is cut off, and what their files lose, is said with the plate, and so again of a session
  /// that was kept.
  @Test(.timeLimit(.minutes(2))) func whatShouldBeKnownOfThePlateIsSaid() async throws {
    let folder = try TemporaryFolder()
    let inputs = try plaza().map { path -> Input in
      let frame = try Input.file(path: path).decoded(DecodeOptions())
      let planes = try zip(frame.planes, frame.grids).map { plane, grid in
        try Plane(width: plane.width, height: plane.height) { x, y in
          y * grid.scaleY < 48 ? (grid == .full ? 0 : 128) : plane[x, y]
        }
      }
      return .frame(
        Frame(
          planes: planes, grids: frame.grids, encoding: frame.encoding, name: frame.name,
          metadata: Metadata(lost: [.pixelAspect])))
    }
    let session = session(in: folder)
    try await session.take(framesOf: inputs)
    try await session.develop(StudioSession.Recipe())
    let notes = try await notes(of: session)
    #expect(notes.contains { $0.contains("not square") } && notes.contains { $0.contains("plain border") }, "\(notes)")
    #expect(!notes.contains { $0.contains(folder.path.string) })
    let parent = folder.path.appending("kept")
    try FileManager.default.createDirectory(atPath: parent.string, withIntermediateDirectories: true)
    let kept = try await session.keep(under: parent)
    let again = StudioSession(
      id: UUID(), folder: folder.path, limits: Limits(), threads: 2, pool: WorkPool(threads: 2))
    try await again.open(kept, KeptSession.read(kept))
    #expect(try await self.notes(of: again) == notes)
  }

  /// What is said of the plate once it is made.
  private func notes(of session: StudioSession) async throws -> [String] {
    let states = session.watchers.watch(await session.state)
    for await state in states {
      if let problem = state.problem { throw problem }
      if state.phase == .ready, let plate = state.plate { return plate.notes }
    }
    return []
  }

  private func session(in folder: TemporaryFolder) -> StudioSession {
    StudioSession(id: UUID(), folder: folder.path, limits: Limits(), threads: 2, pool: WorkPool(threads: 2))
  }

  /// The bundled burst.
  private func plaza() throws -> [FilePath] {
    let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardized
    let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "TestData/plaza").path())
    return names.filter { $0.hasSuffix(".jpg") }.sorted().map {
      FilePath(root.appending(path: "TestData/plaza/\($0)").path())
    }
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
