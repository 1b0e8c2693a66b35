import CleanPlate
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import Synchronization

@testable import StudioServer

/// Sessions in processes of their own, which end with the test.
/// - Parameter body: is given the sessions, and the folder in which what they are sent lies.
func withSessions(
  limits: Limits = Limits(), onBreak: @escaping @Sendable (String) -> Void = { _ in },
  _ body: (Sessions, FilePath) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  let work = folder.path.appending("work")
  try FileManager.default.createDirectory(atPath: work.string, withIntermediateDirectories: true)
  // Beside the tests, where one build puts both.
  let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  let sessions = Sessions(
    work: work, keep: folder.path.appending("kept"), threads: 2, limits: limits,
    program: FilePath(tests).removingLastComponent().appending("cleanplate-studio"), onBreak: onBreak)
  do {
    try await body(sessions, work)
  } catch {
    await sessions.end()
    throw error
  }
  await sessions.end()
}

/// Asks the studio's addresses without a socket.
struct Client {
  let responder: RouterResponder<BasicRequestContext>

  init(_ sessions: Sessions, access: AccessCode? = nil) throws {
    let router = try Studio.router(sessions, authorities: { ["localhost"] }, scheme: "http", access: access)
    responder = router.buildResponder()
  }

  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], authority: String = "localhost",
    body: ByteBuffer = ByteBuffer()
  ) async throws -> Answer {
    var headers = headers
    if body.readableBytes > 0 { headers[.contentLength] = "\(body.readableBytes)" }
    return try await execute(
      uri: uri, method: method, headers: headers, authority: authority, body: RequestBody(buffer: body))
  }

  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], authority: String = "localhost",
    body: RequestBody
  ) async throws -> Answer {
    let head = HTTPRequest(method: method, scheme: "http", authority: authority, path: uri, headerFields: headers)
    let context = BasicRequestContext(
      source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
    let response = try await responder.respond(
      to: Request(head: head, body: body), context: context)
    let writer = Writer()
    try await response.body.write(writer)
    return Answer(status: response.status, headers: response.headers, body: writer.bytes.withLock(\.self))
  }

  private final class Writer: ResponseBodyWriter, Sendable {
    let bytes = Mutex(ByteBuffer())
    func write(_ buffer: ByteBuffer) async throws {
      bytes.withLock {
        var buffer = buffer
        $0.writeBuffer(&buffer)
      }
    }
    func finish(_ trailers: HTTPFields?) async throws {}
  }
}

/// What the studio answered.
struct Answer {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  let body: ByteBuffer
}

/// A folder that goes with the value.
final class TemporaryFolder: Sendable {
  let path: FilePath

  init() throws {
    path = FilePath(NSTemporaryDirectory()).appending("studio-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }
}
