import CleanPlate
import Foundation
import Glibc
import HTTPTypes
import Hummingbird
import Synchronization
import Testing

@testable import StudioServer

/// Sessions in processes of their own. `Scripts/test --studio` tries the same from outside, while plates are made.
struct WorkerTests {
  private let own: HTTPFields = [HTTPField.Name("X-Cleanplate")!: "1"]

  @Test(arguments: [SIGKILL, SIGSEGV]) func aFaultEndsOneSessionAlone(_ signal: Int32) async throws {
    let told = Mutex<[String]>([])
    @Sendable func note(_ words: String) { told.withLock { $0.append(words) } }
    try await withSessions(onBreak: note) { sessions, work in
      let client = try Client(sessions)
      let (broken, other) = (try await sessions.make(), try await sessions.make())
      #expect(try entries(work).count == 2)
      async let events = client.execute(uri: "/api/sessions/\(broken.id)/events", method: .get)
      // Its events are followed from here on.
      try await Task.sleep(for: .milliseconds(300))
      #expect(kill(try #require(try process(of: broken)), signal) == 0)
      let lines = String(buffer: try await events.body)
      #expect(lines.contains("event: state\n"))
      #expect(lines.hasSuffix("\n\n") && lines.contains("\n\nevent: broken\ndata: {"), "\(lines)")
      let answer = try await client.execute(uri: "/api/sessions/\(broken.id)", method: .get)
      #expect(answer.status == .gone)
      #expect(String(buffer: answer.body).contains("This session's work broke off."))
      #expect(try entries(work).count == 1, "its files are gone")
      #expect(sessions.all.map(\.id) == [other.id])
      #expect(told.withLock(\.self) == ["signal \(signal)"])
      #expect(try await client.execute(uri: "/api/sessions/\(other.id)", method: .get).status == .ok)
    }
  }

  @Test func aSessionThatIsClosedIsToldSo() async throws {
    try await withSessions(onBreak: unexpected) { sessions, work in
      let client = try Client(sessions)
      let worker = try await sessions.make()
      async let events = client.execute(uri: "/api/sessions/\(worker.id)/events", method: .get)
      try await Task.sleep(for: .milliseconds(300))
      let answer = try await client.execute(uri: "/api/sessions/\(worker.id)", method: .delete, headers: own)
      #expect(answer.status == .noContent)
      #expect(String(buffer: try await events.body).hasSuffix("event: closed\ndata: {}\n\n"))
      #expect(try await client.execute(uri: "/api/sessions/\(worker.id)", method: .get).status == .notFound)
      #expect(try entries(work).isEmpty)
    }
  }

  @Test func aPlaceIsGivenBackByWhatEnds() async throws {
    var limits = Limits()
    limits.sessions = 1
    try await withSessions(limits: limits) { sessions, _ in
      let first = try await sessions.make()
      await #expect(throws: Refusal.self) { try await sessions.make() }
      #expect(kill(try #require(try process(of: first)), SIGKILL) == 0)
      #expect(await sessions.end(of: first) != nil)
      let second = try await sessions.make()
      await sessions.close(second.id)
      _ = try await sessions.make()
    }
  }

  @Test func aKeptSessionThatBrokeOffIsOpenedAgain() async throws {
    try await withSessions { sessions, _ in
      let client = try Client(sessions)
      let worker = try await sessions.make()
      let address = "/api/sessions/\(worker.id)"
      for _ in 0..<2 {
        let sent = try await client.execute(
          uri: address + "/frames", method: .post, headers: own, body: ByteBuffer(bytes: picture))
        #expect(sent.status == .created)
      }
      #expect(try await client.execute(uri: address + "/keep", method: .post, headers: own).status == .ok)
      #expect(kill(try #require(try process(of: worker)), SIGKILL) == 0)
      #expect(await sessions.end(of: worker) != nil)
      let told = try await client.execute(uri: address, method: .get)
      #expect(told.status == .gone && String(buffer: told.body).contains("open it again"))
      let kept = try await client.execute(uri: "/api/kept/\(worker.id)", method: .post, headers: own)
      #expect(kept.status == .created && String(buffer: kept.body).contains("\"isKept\":true"))
      #expect(try await client.execute(uri: address, method: .get).status == .ok)
    }
  }

  @Test func aBurstThatCannotBeOpenedIsToldInWords() async throws {
    try await withSessions(onBreak: unexpected) { sessions, work in
      let missing = work.appending("nothing.jpg")
      do {
        try await sessions.open([missing])
        Issue.record("nothing is there")
      } catch let error as any WordedError {
        #expect(error.explanation { $0 }.problem.contains("nothing.jpg"))
      }
      #expect(sessions.all.isEmpty)
      #expect(try entries(work).isEmpty)
    }
  }

  @Test func aProgramThatIsNoneIsTold() async throws {
    let folder = try TemporaryFolder()
    let sessions = Sessions(work: folder.path, keep: folder.path, threads: 1, program: "/nothing/here")
    await #expect(throws: Refusal.self) { try await sessions.make() }
    #expect(try entries(folder.path).isEmpty && sessions.all.isEmpty)
  }

  /// A refusal comes at once; what is still being sent is read to its end before anybody else reads the connection.
  @Test func whoIsRefusedEarlyIsStillReadToTheEnd() async throws {
    var limits = Limits()
    limits.pictureBytes = 1_000
    try await withSessions(limits: limits) { sessions, _ in
      let client = try Client(sessions)
      let worker = try await sessions.make()
      let (body, source) = RequestBody.makeStream()
      var chunked = own
      chunked[.transferEncoding] = "chunked"
      let parts = 2_000
      let count = Mutex(0)
      async let answer = client.execute(
        uri: "/api/sessions/\(worker.id)/frames", method: .post, headers: chunked, body: body)
      for _ in 0..<parts {
        await source.yield(ByteBuffer(repeating: 7, count: 10_000))
        count.withLock { $0 += 1 }
      }
      source.finish()
      #expect(try await answer.status == .contentTooLarge)
      #expect(count.withLock(\.self) == parts)
    }
  }

  @Test func theWorkerIsNotToldWhoAsks() async throws {
    // What lets somebody in stays with the front, whatever a decoder is made to do.
    try await withSessions { sessions, _ in
      let worker = try await sessions.make()
      let asked = Request(
        head: HTTPRequest(
          method: .get, scheme: nil, authority: "localhost", path: "/api/sessions/\(worker.id)",
          headerFields: [.cookie: "__Host-cleanplate=secret"]), body: RequestBody(buffer: ByteBuffer()))
      #expect(Proxy.passed(asked.headers).isEmpty)
      #expect(await Proxy(sessions: sessions).answer(asked, by: worker).status == .ok)
    }
  }

  @Sendable private func unexpected(_ ending: String) { Issue.record("\(ending)") }

  private func entries(_ folder: FilePath) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.string)
  }

  private var picture: [UInt8] {
    get throws {
      let plane = try Plane(width: 60, height: 60) { x, y in x * y % 251 }
      return try encode(
        Frame(planes: [plane], encoding: .grey(.full), name: "x"), options: EncodeOptions(format: .png))
    }
  }

  /// The process that holds the session's socket.
  private func process(of worker: Worker) throws -> pid_t? {
    // Its connections bear the name as well.
    let sockets = try String(contentsOfFile: "/proc/net/unix", encoding: .utf8).split(separator: "\n")
      .filter { $0.hasSuffix(worker.id.uuidString) }
    let names = Set(sockets.map { "socket:[\($0.split(separator: " ")[6])]" })
    for process in try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap({ pid_t($0) }) {
      let folder = "/proc/\(process)/fd"
      for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      where (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(file)")).map(names.contains)
        == true
      {
        return process
      }
    }
    return nil
  }
}

/// Events that are cut off.
struct WholeEventsTests {
  @Test(arguments: [1, 2, 3, 7, 100]) func onlyWholeEventsPass(_ size: Int) {
    let text = "retry: 1000\n\nevent: state\ndata: {\"a\":1}\n\n: still here\n\nevent: state\ndata: {\"a"
    var events = WholeEvents()
    var passed = ""
    var rest = ByteBuffer(string: text)
    while let part = rest.readSlice(length: min(size, rest.readableBytes)), part.readableBytes > 0 {
      if let whole = events.take(part) {
        #expect(String(buffer: whole).hasSuffix("\n\n"))
        passed += String(buffer: whole)
      }
    }
    #expect(passed == String(text.prefix { _ in true }.dropLast("event: state\ndata: {\"a".count)))
  }
}
