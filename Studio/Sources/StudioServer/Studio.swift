import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import Synchronization

/// The studio: a page, and the sessions that it works with.
public struct Studio: Sendable {
  /// Where the page is served.
  public struct Place: Sendable {
    /// 0 takes any that is free.
    public var port: Int
    /// Whether others on the local network may come in, over TLS and with a code.
    public var isLocalNetwork: Bool

    /// A place on this machine, or on the local network.
    public init(port: Int = 0, isLocalNetwork: Bool = false) {
      (self.port, self.isLocalNetwork) = (port, isLocalNetwork)
    }
  }

  /// What the terminal tells.
  public enum Notice: Sendable {
    /// The page is served: its address for this machine; on the network, addresses with the code, and the certificate's
    /// fingerprint.
    case running(address: String, network: [String], fingerprint: String?)
    /// The code has let somebody in; the next one, in an address.
    case nextCode(network: [String])
  }

  let sessions: Sessions
  let place: Place
  private let tell: @Sendable (Notice) -> Void

  /// - Parameters:
  ///   - sessions: that are served.
  ///   - place: where.
  ///   - tell: is told what the terminal should show.
  public init(_ sessions: Sessions, at place: Place, tell: @escaping @Sendable (Notice) -> Void) {
    (self.sessions, self.place, self.tell) = (sessions, place, tell)
  }

  /// Serves until the task is cancelled.
  /// - Throws: when the port cannot be taken.
  public func run() async throws {
    let port = Mutex(place.port)
    let local = LocalAddresses()
    var hosts = ["127.0.0.1", "localhost"]
    if place.isLocalNetwork {
      hosts += local.addresses.map(LocalAddresses.text) + [local.hostName, local.hostName + ".local"]
    }
    let names = Set(hosts.map { $0.lowercased() })
    let scheme = place.isLocalNetwork ? "https" : "http"
    @Sendable func network(_ code: String) -> [String] {
      local.addresses.map { "\(scheme)://\(LocalAddresses.text($0)):\(port.withLock(\.self))/#\(code)" }
    }
    let tell = self.tell
    let access = place.isLocalNetwork ? AccessCode { tell(.nextCode(network: network($0))) } : nil
    let authorities: @Sendable () -> Set<String> = {
      Set(names.map { "\($0):\(port.withLock(\.self))" })
    }
    let certificate =
      place.isLocalNetwork
      ? try OwnCertificate(names: ["localhost", local.hostName], addresses: [[127, 0, 0, 1]] + local.addresses) : nil
    let router = try Self.router(sessions, authorities: authorities, scheme: scheme, access: access)
    // Who opens a connection and says nothing is not waited for.
    let channel = HTTP1Channel.Configuration(
      idleTimeout: .seconds(60),
      httpDecoderConfiguration: .init(maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64))
    let server: HTTPServerBuilder =
      if let certificate {
        try .tls(.http1(configuration: channel), tlsConfiguration: certificate.configuration)
      } else {
        .http1(configuration: channel)
      }
    var logger = Logger(label: "studio")
    logger.logLevel = .error
    let application = Application(
      router: router, server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(place.isLocalNetwork ? "0.0.0.0" : "127.0.0.1", port: place.port),
        availableConnectionsDelegate: MaximumAvailableConnections(sessions.limits.connections)),
      onServerRunning: { channel in
        port.withLock { $0 = channel.localAddress?.port ?? $0 }
        let code = access.map { "/#\($0.current)" } ?? "/"
        tell(
          .running(
            address: "\(scheme)://127.0.0.1:\(port.withLock(\.self))\(code)",
            network: access.map { network($0.current) } ?? [], fingerprint: certificate?.fingerprint))
      }, logger: logger)
    try await application.run()
  }

  /// All addresses, guarded.
  static func router(
    _ sessions: Sessions, authorities: @escaping @Sendable () -> Set<String>, scheme: String, access: AccessCode?
  ) throws -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    router.add(middleware: Guard(authorities: authorities, scheme: scheme, access: access))
    try PageFiles().add(to: router)
    let api = router.group("api")
    api.post("enter") { request, _ in
      guard let access else { return Response(status: .noContent) }
      let word = try await request.document(CodeRequest.self, most: 200)
      guard let token = await access.exchange(word.code) else {
        throw Refusal(.unauthorized, "This code lets nobody in any more.", "Scan the one that the terminal shows now.")
      }
      var response = Response(status: .noContent)
      response.headers[.setCookie] =
        "\(Guard<BasicRequestContext>.cookie)=\(token); Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=86400"
      return response
    }
    FrontRoutes(sessions: sessions).add(to: api)
    return router
  }
}
