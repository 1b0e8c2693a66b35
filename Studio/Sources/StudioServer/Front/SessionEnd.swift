import Foundation
import HTTPTypes

/// How a session that is no longer open came to its end.
enum SessionEnd: Sendable {
  /// Somebody closed it.
  case closed
  /// Its process ended by itself.
  case brokeOff(isKept: Bool)

  /// Why its addresses answer nothing any more.
  var refusal: Refusal {
    switch self {
    case .closed: Refusal(.notFound, "This session is closed.", "Begin another one.")
    case .brokeOff(let isKept):
      Refusal(
        .gone, "This session's work broke off.",
        isKept ? "It is kept: open it again from the list." : "Begin another one. What was not kept is gone.")
    }
  }

  /// The last of its events.
  var event: String {
    switch self {
    case .closed: return "event: closed\ndata: {}\n\n"
    case .brokeOff:
      let problem = SessionState.Problem(problem: refusal.problem, advice: refusal.advice)
      let json = (try? JSONEncoder().encode(problem)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
      return "event: broken\ndata: \(json)\n\n"
    }
  }
}
