import AsyncAlgorithms
import Hummingbird
import HummingbirdCore

/// A request's body on its way to a worker, a piece at a time: who sends faster than the worker reads waits.
///
/// It is read to its end in any case, also where the worker has answered before or is gone, and nobody else may read it
/// meanwhile: the connection's next request follows it.
struct Upload: Sendable {
  /// The body, for the worker.
  let parts = AsyncThrowingChannel<ByteBuffer, any Error>()
  private let reading: Task<Void, Never>

  init(_ body: RequestBody) {
    reading = Task { [parts] in
      do {
        for try await part in body { await parts.send(part) }
        parts.finish()
      } catch {
        parts.fail(error)
      }
    }
  }

  /// Lets what is still to come go nowhere: the worker takes no more of it.
  func discardRest() { parts.finish() }

  /// The answer, which lasts until the body has been read.
  func answered(by response: Response) -> Response {
    var response = response
    let body = response.body
    response.body = ResponseBody(contentLength: body.contentLength) { [reading] writer in
      try await body.write(writer)
      await reading.value
    }
    return response
  }
}
