import AsyncAlgorithms
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix

/// One request to a worker, over a connection of its own, and the answer, which comes a piece at a time as it is taken.
///
/// Pooled connections of async-http-client would not do: who answers before he has read all leaves a write waiting there for
/// ever.
final class Exchange: Sendable {
  let head: HTTPResponse
  /// The answer's body.
  let body: AsyncThrowingChannel<ByteBuffer, any Error>
  private let running: Task<Void, Never>

  /// - Parameters:
  ///   - socket: where the worker is asked.
  ///   - request: of which `upload` is the body.
  /// - Throws: when there is no answer.
  init(at socket: String, _ request: HTTPRequest, _ upload: Upload? = nil) async throws {
    let body = AsyncThrowingChannel<ByteBuffer, any Error>()
    let (heads, continuation) = AsyncThrowingStream<HTTPResponse, any Error>.makeStream()
    let running = Task {
      defer { upload?.discardRest() }
      do {
        try await Self.run(socket, request, upload, onHead: { continuation.yield($0) }, body)
        body.finish()
      } catch {
        continuation.finish(throwing: error)
        body.fail(error)
      }
    }
    (self.body, self.running) = (body, running)
    var iterator = heads.makeAsyncIterator()
    do {
      guard let head = try await iterator.next() else { throw CancellationError() }
      self.head = head
    } catch {
      running.cancel()
      throw error
    }
  }

  /// Who takes no more of the answer ends the connection.
  deinit { running.cancel() }

  private static func run(
    _ socket: String, _ request: HTTPRequest, _ upload: Upload?, onHead: (HTTPResponse) -> Void,
    _ body: AsyncThrowingChannel<ByteBuffer, any Error>
  ) async throws {
    let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(unixDomainSocketPath: socket) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPClientCodec())
          return try NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>(wrappingChannelSynchronously: channel)
        }
      }
    try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(.head(request))
      let sending = Task {
        do {
          if let upload {
            for try await part in upload.parts { try await outbound.write(.body(part)) }
          }
          try await outbound.write(.end(nil))
        } catch {
          // Half a body is none.
          connection.channel.close(promise: nil)
        }
      }
      defer { sending.cancel() }
      for try await part in inbound {
        switch part {
        case .head(let head): if head.status.kind != .informational { onHead(head) }
        case .body(let bytes): await body.send(bytes)
        case .end: return
        }
      }
      throw ChannelError.eof
    }
  }
}
