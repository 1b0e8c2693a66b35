import Foundation
public import Frames

extension PlateEdits {
  /// Reads edits out of JSON, as `docs/edits.schema.json` describes it.
  /// - Parameters:
  ///   - json: the bytes of such a document.
  ///   - mask: brings the mask of a name that the document mentions.
  /// - Throws: `EditsFileError`, and what `mask` throws.
  public init(json: [UInt8], mask: (String) throws -> PlaceMask) throws {
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: Data(json))
    } catch {
      throw EditsFileError.unreadable(detail: EditsFileError.detail(error, of: json))
    }
    guard document.version == Document.current else { throw EditsFileError.unknownVersion(document.version) }
    list = try document.edits.enumerated().map { try $1.edit(number: $0, mask: mask) }
    reference = document.reference
  }

  /// As JSON, with sorted keys: equal edits are equal bytes. Masks are mentioned by their names.
  /// - Throws: `EncodingError` when a number is not finite.
  public func json() throws -> [UInt8] { try Document(self).sortedJSON() }
}

/// Why a file holds no edits.
public enum EditsFileError: Error, Sendable, Hashable {
  /// No JSON, or JSON of another form.
  case unreadable(detail: String)
  /// Made by a later program.
  case unknownVersion(Int)
  /// The edit of this number, from 0, does not name exactly one place by finite numbers.
  case noPlace(edit: Int)
  /// The edit of this number, from 0, takes a place and names no frame to take it from.
  case noFrame(edit: Int)

  fileprivate static func detail(_ error: any Error, of json: [UInt8]) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    func detail(_ context: DecodingError.Context, _ words: String) -> String {
      let place = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
      return place.isEmpty ? words : "\(place): \(words)"
    }
    switch error {
    case .dataCorrupted(let context)
    where context.codingPath.isEmpty && (try? JSONSerialization.jsonObject(with: Data(json))) != nil:
      // The decoder calls that no JSON.
      return "a number is not whole where it must be, or too large"
    case .dataCorrupted(let context):
      let reason = (context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] as? String
      let words = reason ?? context.debugDescription
      return detail(context, words.hasSuffix(".") ? String(words.dropLast()) : words)
    case .keyNotFound(let key, let context): return detail(context, "'\(key.stringValue)' is missing")
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return detail(context, "it is of another kind than it must be")
    @unknown default: return "\(error)"
    }
  }
}

extension PlateEdits {
  /// Edits as they are written in files and reports: a mask is only its name, so that a plate made again needs it.
  public struct Document: Sendable, Hashable, Codable {
    /// Of the form, 1.
    public var version: Int
    /// The frame in whose pixels places are meant; nil for whichever becomes the reference.
    public var reference: FrameKey?
    /// One after another.
    public var edits: [Item]

    static let current = 1

    enum CodingKeys: String, CodingKey, CaseIterable { case version, reference, edits }

    /// - Throws: `DecodingError` also for keys that mean nothing: a mistyped one would be left out without a word.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      version = try values.decode(Int.self, forKey: .version)
      reference = try values.decodeIfPresent(FrameKey.self, forKey: .reference)
      edits = []
      // What a later form holds is not known.
      guard version == Self.current else { return }
      try decoder.refuseOthers(than: CodingKeys.self)
      edits = try values.decode([Item].self, forKey: .edits)
    }

    /// The written form of edits.
    public init(_ edits: PlateEdits) {
      version = Self.current
      reference = edits.reference
      self.edits = edits.list.map(Item.init)
    }
  }
}

extension PlateEdits.Document {
  /// One edit: what to do, with which frame, and exactly one of `point`, `stroke` and `mask`.
  public struct Item: Sendable, Hashable, Codable {
    /// What is done.
    public enum Deed: String, Sendable, Hashable, Codable, CaseIterable { case take, remove, keep }

    /// The path of a round brush, in pixels.
    public struct Brush: Sendable, Hashable, Codable {
      /// Of the brush.
      public var radius: Double
      /// Pairs of x and y.
      public var points: [[Double]]

      enum CodingKeys: String, CodingKey, CaseIterable { case radius, points }

      init(_ stroke: Stroke) { (radius, points) = (stroke.radius, stroke.points.map { [$0.x, $0.y] }) }

      /// - Throws: `DecodingError`.
      public init(from decoder: any Decoder) throws {
        try decoder.refuseOthers(than: CodingKeys.self)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        radius = try values.decode(Double.self, forKey: .radius)
        points = try values.decode([[Double]].self, forKey: .points)
      }
    }

    /// What is done.
    public var deed: Deed
    /// The frame to take from, or who shows somebody that goes; nil for the reference.
    public var frame: FrameKey?
    /// x and y.
    public var point: [Double]?
    /// What a brush went over.
    public var stroke: Brush?
    /// The name of a picture, white where it is meant.
    public var mask: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case frame, point, stroke, mask
      case deed = "do"
    }

    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
      try decoder.refuseOthers(than: CodingKeys.self)
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let word = try values.decode(String.self, forKey: .deed)
      guard let deed = Deed(rawValue: word) else {
        let known = Deed.allCases.map(\.rawValue).joined(separator: ", ")
        throw DecodingError.dataCorruptedError(
          forKey: .deed, in: values, debugDescription: "'\(word)' is none of \(known)")
      }
      self.deed = deed
      frame = try values.decodeIfPresent(FrameKey.self, forKey: .frame)
      point = try values.decodeIfPresent([Double].self, forKey: .point)
      stroke = try values.decodeIfPresent(Brush.self, forKey: .stroke)
      mask = try values.decodeIfPresent(String.self, forKey: .mask)
    }

    init(_ edit: PlateEdit) {
      let place: Place
      switch edit {
      case .take(let key, let spot): (deed, frame, place) = (.take, key, spot)
      case .remove(let spot, let key): (deed, frame, place) = (.remove, key, spot)
      case .keep(let spot): (deed, frame, place) = (.keep, nil, spot)
      }
      switch place {
      case .point(let spot): point = [spot.x, spot.y]
      case .stroke(let path): stroke = Brush(path)
      case .mask(let picture): mask = picture.name
      }
    }

    func edit(number: Int, mask bring: (String) throws -> PlaceMask) throws -> PlateEdit {
      let place = try place(number, bring)
      switch deed {
      case .take:
        guard let frame else { throw EditsFileError.noFrame(edit: number) }
        return .take(frame, place)
      case .remove: return .remove(place, from: frame)
      case .keep: return .keep(place)
      }
    }

    private func place(_ number: Int, _ bring: (String) throws -> PlaceMask) throws -> Place {
      switch (point, stroke, mask) {
      case (let point?, nil, nil):
        guard let point = Point(point) else { throw EditsFileError.noPlace(edit: number) }
        return .point(point)
      case (nil, let stroke?, nil):
        let points = stroke.points.compactMap(Point.init)
        guard points.count == stroke.points.count, !points.isEmpty, stroke.radius.isFinite, stroke.radius >= 0 else {
          throw EditsFileError.noPlace(edit: number)
        }
        return .stroke(Stroke(points: points, radius: stroke.radius))
      case (nil, nil, let mask?): return .mask(try bring(mask))
      default: throw EditsFileError.noPlace(edit: number)
      }
    }
  }
}

extension Point {
  /// Two finite numbers.
  fileprivate init?(_ numbers: [Double]) {
    guard numbers.count == 2, numbers.allSatisfy({ $0.isFinite && abs($0) < 1e6 }) else { return nil }
    self.init(x: numbers[0], y: numbers[1])
  }
}

/// Whatever a document calls it.
private struct AnyKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  /// - Throws: `DecodingError` when there are keys beside those of a kind.
  fileprivate func refuseOthers<Key: CodingKey & CaseIterable>(than known: Key.Type) throws {
    let keys = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).sorted()
    guard let stranger = keys.first(where: { Key(stringValue: $0) == nil }) else { return }
    let words = Key.allCases.map(\.stringValue).joined(separator: ", ")
    throw DecodingError.dataCorrupted(
      .init(codingPath: codingPath, debugDescription: "'\(stranger)' is none of \(words)"))
  }
}

/// A number or a name.
extension FrameKey: Codable {
  /// A whole number, or a string.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let index = try? value.decode(Int.self) {
      self = .index(index)
    } else {
      self = .name(try value.decode(String.self))
    }
  }

  /// Likewise.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .index(let index): try value.encode(index)
    case .name(let name): try value.encode(name)
    }
  }
}
