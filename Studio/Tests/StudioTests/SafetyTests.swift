import CleanPlate
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import Synchronization
import Testing

@testable import StudioServer

/// What a request must pass. `Scripts/test --studio` tries the same from outside, over real sockets.
struct SafetyTests {
  private let own = HTTPField.Name("X-Cleanplate")!

  private func withStudio(
    access: AccessCode? = nil, limits: Limits = Limits(), _ body: (Client) async throws -> Void
  ) async throws {
    try await withSessions(limits: limits) { sessions, _ in try await body(try Client(sessions, access: access)) }
  }

  @Test func pagesOfOthersAreRefused() async throws {
    try await withStudio { client in
      for (headers, status): (HTTPFields, HTTPResponse.Status) in [
        ([own: "1"], .created), ([:], .forbidden), ([own: "1", .origin: "http://localhost"], .created),
        ([own: "1", .origin: "http://evil.example"], .forbidden), ([own: "1", .origin: "null"], .forbidden),
        ([own: "1", HTTPField.Name("Sec-Fetch-Site")!: "cross-site"], .forbidden),
      ] {
        let response = try await client.execute(uri: "/api/sessions", method: .post, headers: headers)
        #expect(response.status == status, "\(headers)")
        #expect(response.headers[.contentSecurityPolicy]?.contains("script-src 'self'") == true)
        #expect(response.headers[.accessControlAllowOrigin] == nil)
      }
    }
  }

  @Test func otherNamesOfTheHostAreRefused() async throws {
    try await withStudio { client in
      for name in ["evil.example", "localhost:1", "localhost.evil.example", ""] {
        let answer = try await client.execute(uri: "/api/sessions", method: .get, authority: name)
        #expect(answer.status == .misdirectedRequest, "\(name)")
      }
      #expect(try await client.execute(uri: "/api/sessions", method: .get).status == .ok)
    }
  }

  @Test func onlyWhoHasTheCodeComesIn() async throws {
    let announced = Mutex<[String]>([])
    let access = AccessCode { code in announced.withLock { $0.append(code) } }
    let code = access.current
    try await withStudio(access: access) { client in
      let headers: HTTPFields = [own: "1"]
      #expect(try await client.execute(uri: "/api/sessions", method: .get).status == .unauthorized)
      #expect(try await client.execute(uri: "/", method: .get).status == .ok)
      func enter(_ code: String) async throws -> Answer {
        try await client.execute(
          uri: "/api/enter", method: .post, headers: headers, body: ByteBuffer(string: "{\"code\":\"\(code)\"}"))
      }
      #expect(try await enter("wrong").status == .unauthorized)
      #expect(try await enter(String(code.dropLast())).status == .unauthorized)
      let cookie = try #require(try await enter(code).headers[.setCookie])
      for part in ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"] { #expect(cookie.contains(part)) }
      #expect(try await enter(code).status == .unauthorized, "it was good for one")
      let value = String(cookie.prefix { $0 != ";" })
      #expect(try await client.execute(uri: "/api/sessions", method: .get, headers: [.cookie: value]).status == .ok)
      #expect(
        try await client.execute(uri: "/api/sessions", method: .get, headers: [.cookie: value + "x"]).status
          == .unauthorized)
    }
    #expect(announced.withLock(\.self) == [access.current] && access.current != code)
  }

  @Test func whatIsSentIsBounded() async throws {
    var limits = Limits()
    (limits.pictureBytes, limits.pixels, limits.frames, limits.sessions) = (100_000, 10_000, 2, 1)
    try await withStudio(limits: limits) { client in
      let headers: HTTPFields = [own: "1"]
      func post(_ path: String, _ body: [UInt8] = []) async throws -> Answer {
        try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(bytes: body))
      }
      struct Made: Decodable { var id: UUID }
      let made = try await post("/api/sessions")
      let id = try JSONDecoder().decode(Made.self, from: Data(made.body.readableBytesView)).id
      #expect(try await post("/api/sessions").status == .tooManyRequests)
      let frames = "/api/sessions/\(id)/frames"
      #expect(try await post(frames).status == .unprocessableContent)
      #expect(try await post(frames, [UInt8](repeating: 7, count: 100_001)).status == .contentTooLarge)
      #expect(try await post(frames, Array("no picture".utf8)).status == .unprocessableContent)
      func picture(_ side: Int) throws -> [UInt8] {
        let plane = try Plane(width: side, height: side) { x, y in x * y % 251 }
        let frame = Frame(planes: [plane], encoding: .grey(.full), name: "x")
        return try encode(frame, options: EncodeOptions(format: .png))
      }
      #expect(try await post(frames, try picture(101)).status == .unprocessableContent)
      #expect(try await post(frames + "?name=..%2F..%2Fetc%2Fpasswd", try picture(60)).status == .created)
      #expect(try await post(frames, try picture(60)).status == .created)
      #expect(try await post(frames, try picture(60)).status == .contentTooLarge)
      let state = try await client.execute(uri: "/api/sessions/\(id)", method: .get)
      #expect(String(buffer: state.body).contains("\"name\":\"passwd\""))
    }
  }

  @Test(arguments: [
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/kept/..%2f..%2fetc", "/api/sessions/../../x",
    "/Page/index.html", "/api/sessions/00000000-0000-0000-0000-000000000000/plate",
  ]) func noAddressIsAPath(_ path: String) async throws {
    try await withStudio { client in
      let answer = try await client.execute(uri: path, method: .get)
      #expect(answer.status.code >= 400)
    }
  }
}
