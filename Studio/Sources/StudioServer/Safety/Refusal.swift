import Foundation
import HTTPTypes
import Hummingbird

/// Why a request is not answered, as the page tells it.
struct Refusal: Error {
  let status: HTTPResponse.Status
  let problem: String
  let advice: String?

  init(_ status: HTTPResponse.Status, _ problem: String, _ advice: String? = nil) {
    self.status = status
    self.problem = problem
    self.advice = advice
  }

  var response: Response {
    let problem = SessionState.Problem(problem: problem, advice: advice)
    let bytes = (try? JSONEncoder().encode(problem)) ?? Data()
    return Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// The answer, or why there is none in the page's words.
  static func told(_ answer: () async throws -> Response) async throws -> Response {
    do {
      return try await answer()
    } catch let error as HTTPError {
      return Refusal(error.status, error.body ?? error.status.reasonPhrase).response
    } catch let refusal as Refusal {
      return refusal.response
    }
  }
}

/// Tells refusals in the page's words.
struct RefusalWords<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    try await Refusal.told { try await next(request, context) }
  }
}

extension HTTPResponse.Status {
  static var insufficientStorage: Self { .init(code: 507, reasonPhrase: "Insufficient Storage") }
}
