import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Asks workers on behalf of the page. Bodies pass in pieces in both directions, as fast as their reader takes them, and are
/// never held whole.
struct Proxy: Sendable {
  let sessions: Sessions

  /// Of one connection, not of what it carries; and the cookie that lets somebody in, which no worker needs to know.
  private static let ownHeaders: Set<String> = [
    "connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect", "content-length", "cookie",
    "authorization", "proxy-authorization", "proxy-authenticate", "proxy-connection",
  ]

  /// What a worker learns of a request's headers, or the page of an answer's.
  static func passed(_ headers: HTTPFields) -> HTTPFields {
    HTTPFields(headers.lazy.filter { !ownHeaders.contains($0.name.canonicalName) })
  }

  /// What the session's worker answers.
  func answer(_ request: Request, by worker: Worker) async -> Response {
    var asked = request.head
    asked.headerFields = Self.passed(request.headers)
    var upload: Upload?
    let length = request.headers[.contentLength]
    if let length { asked.headerFields[.contentLength] = length }
    if request.headers[.transferEncoding] != nil { asked.headerFields[.transferEncoding] = "chunked" }
    if request.headers[.transferEncoding] != nil || length ?? "0" != "0" { upload = Upload(request.body) }
    let response = await ask(worker, asked, upload) { exchange in
      ResponseBody(contentLength: exchange.head.headerFields[.contentLength].flatMap { Int($0) }) { writer in
        for try await part in exchange.body { try await writer.write(part) }
        try await writer.finish(nil)
      }
    }
    return upload?.answered(by: response) ?? response
  }

  /// The session's state, as its worker tells it.
  func state(of worker: Worker, _ status: HTTPResponse.Status = .ok) async -> Response {
    let request = Request(head: Self.stateRequest(worker), body: RequestBody(buffer: ByteBuffer()))
    var response = await answer(request, by: worker)
    if response.status == .ok { response.status = status }
    return response
  }

  /// The session's events, and in the end how it ended.
  func events(_ request: Request, of worker: Worker) async -> Response {
    var asked = request.head
    asked.headerFields = Self.passed(request.headers)
    return await ask(worker, asked, nil) { [sessions] exchange in
      ResponseBody { writer in
        var parts = exchange.body.makeAsyncIterator()
        var events = WholeEvents()
        // However it ends: what became of the session tells more than the error does.
        while let part = try? await parts.next() {
          if let whole = events.take(part) { try await writer.write(whole) }
        }
        guard let end = await sessions.end(of: worker) else { throw ChannelError.eof }
        try await writer.write(ByteBuffer(string: end.event))
        try await writer.finish(nil)
      }
    }
  }

  /// How many frames the session has, and what it does; what it told last where it takes its time.
  func summary(of worker: Worker) async -> SessionSummary {
    struct State: Decodable {
      struct Frame: Decodable {}
      var frames: [Frame]
      var phase: SessionState.Phase
    }
    let told = try? await within(.seconds(1)) {
      let exchange = try await Exchange(at: worker.socket, Self.stateRequest(worker))
      let bytes = try await exchange.body.reduce(into: Data()) { $0 += $1.readableBytesView }
      let state = try JSONDecoder().decode(State.self, from: bytes)
      return SessionSummary(frames: state.frames.count, phase: state.phase)
    }
    return worker.summary.withLock { summary in
      if let told { summary = told }
      return summary
    }
  }

  private static func stateRequest(_ worker: Worker) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/api/sessions/\(worker.id)")
  }

  private func ask(
    _ worker: Worker, _ asked: HTTPRequest, _ upload: Upload?, _ body: (Exchange) -> ResponseBody
  ) async -> Response {
    do {
      let exchange = try await Exchange(at: worker.socket, asked, upload)
      return Response(
        status: exchange.head.status, headers: Self.passed(exchange.head.headerFields), body: body(exchange))
    } catch {
      let end = await sessions.end(of: worker)
      return (end?.refusal ?? Refusal(.badGateway, "The session does not answer.", "Try again.")).response
    }
  }
}

/// What `body` gives, or nothing when that takes too long.
private func within<Result: Sendable>(
  _ limit: Duration, _ body: @Sendable @escaping () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask(operation: body)
    group.addTask {
      try await Task.sleep(for: limit)
      throw CancellationError()
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}
