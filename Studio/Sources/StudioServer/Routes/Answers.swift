import CleanPlate
import Foundation
import HTTPTypes
import Hummingbird

extension Response {
  /// Dates are written as the page reads them, by ISO 8601.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value))))
  }

  /// - Parameters:
  ///   - lasts: whether the address will never stand for other bytes.
  ///   - name: of the file as which a browser saves it; nil shows it.
  static func bytes(_ bytes: [UInt8], type: String, lasts: Bool = false, saveAs name: String? = nil) -> Response {
    var headers: HTTPFields = [.contentType: type]
    if lasts { headers[.cacheControl] = "private, max-age=31536000, immutable" }
    if let name { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

extension Request {
  /// A whole number of the query.
  /// - Throws: `Refusal` when it is missing or lies outside `range`.
  func number(_ name: String, in range: ClosedRange<Int>, default fallback: Int? = nil) throws -> Int {
    guard let text = uri.queryParameters[Substring(name)] else {
      if let fallback { return fallback }
      throw Refusal(.badRequest, "The number '\(name)' is missing.")
    }
    guard let number = Int(text), range.contains(number) else {
      throw Refusal(.badRequest, "'\(name)' is no number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// The body, of so many bytes at most.
  func wholeBody(_ most: Int) async throws -> [UInt8] {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > most { throw Self.tooLarge(most) }
    var bytes: [UInt8] = []
    for try await part in body {
      guard bytes.count + part.readableBytes <= most else { throw Self.tooLarge(most) }
      bytes.append(contentsOf: part.readableBytesView)
    }
    return bytes
  }

  func document<Value: Decodable>(_ type: Value.Type, most: Int) async throws -> Value {
    let bytes = try await wholeBody(most)
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw Refusal(.badRequest, "The request is not of the form that is expected.")
    }
  }

  static func tooLarge(_ most: Int) -> Refusal {
    Refusal(.contentTooLarge, "At most \(most >> 20) MB are taken.", "Send a smaller file.")
  }

  /// What the page calls a file: one line without a path, never used as one.
  var shownName: String {
    let text = uri.queryParameters["name"].map(String.init) ?? ""
    let decoded = text.removingPercentEncoding ?? text
    let last = decoded.split(whereSeparator: { "/\\".contains($0) }).last.map(String.init) ?? ""
    let plain = last.unicodeScalars.filter { $0.properties.generalCategory != .control }
    let name = String(String.UnicodeScalarView(plain)).prefix(120)
    return name.isEmpty ? "photo" : String(name)
  }
}
