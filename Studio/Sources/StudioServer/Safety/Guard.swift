import Foundation
import HTTPTypes
import Hummingbird

/// What every request must pass: it is meant for this server by name, comes from its own page, and, on the network, from
/// somebody who was let in.
struct Guard<Context: RequestContext>: RouterMiddleware {
  /// Names and addresses by which the page may be reached, with the port: anything else is another site whose name was made to
  /// lead here.
  let authorities: @Sendable () -> Set<String>
  let scheme: String
  /// Nil on the loopback alone.
  let access: AccessCode?

  static var cookie: String { "__Host-cleanplate" }
  /// A header that pages of other sites cannot send without asking first.
  static var ownHeader: HTTPField.Name { HTTPField.Name("X-Cleanplate")! }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await Refusal.told {
      try check(request)
      return try await next(request, context)
    }
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
      + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[HTTPField.Name("Referrer-Policy")!] = "no-referrer"
    response.headers[HTTPField.Name("Cross-Origin-Opener-Policy")!] = "same-origin"
    response.headers[HTTPField.Name("Cross-Origin-Resource-Policy")!] = "same-origin"
    response.headers[HTTPField.Name("Permissions-Policy")!] = "camera=(self), microphone=(), geolocation=()"
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  private func check(_ request: Request) throws {
    guard let host = request.head.authority, authorities().contains(host.lowercased()) else {
      throw Refusal(.misdirectedRequest, "This server is not called so.", "Use the address that the terminal shows.")
    }
    if let origin = request.headers[.origin], origin.lowercased() != "\(scheme)://\(host.lowercased())" {
      throw Refusal(.forbidden, "Another site asks.", "Open the page itself.")
    }
    if let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!], !["same-origin", "none"].contains(site) {
      throw Refusal(.forbidden, "Another site asks.", "Open the page itself.")
    }
    let path = request.uri.path
    if request.method != .get && request.method != .head, request.headers[Self.ownHeader] != "1" {
      throw Refusal(.forbidden, "Only the page itself may change something.", "Open the page itself.")
    }
    guard let access, path.hasPrefix("/api/"), path != "/api/enter" else { return }
    guard let token = request.cookies[Self.cookie]?.value, access.admits(token) else {
      throw Refusal(.unauthorized, "Nobody without the code comes in.", "Scan the code that the terminal shows.")
    }
  }
}
