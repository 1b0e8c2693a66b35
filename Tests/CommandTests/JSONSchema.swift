import Foundation

/// Checks JSON against a schema, by the part of JSON Schema 2020-12 that `docs/report.schema.json` uses. A keyword that is
/// not among these is a complaint, so that nothing in a schema passes for checked that is not.
struct JSONSchema {
  private let root: [String: Any]

  init(_ data: Data) throws {
    guard let root = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.root = root
  }

  /// What does not fit, each with its place; empty when all does.
  func complaints(about data: Data) throws -> [String] {
    check(try JSONSerialization.jsonObject(with: data), root, at: "$")
  }

  private static let known: Set<String> = [
    "$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "pattern", "minimum", "maximum",
    "required", "properties", "additionalProperties", "items", "minItems", "maxItems",
  ]

  private func check(_ value: Any, _ schema: [String: Any], at place: String) -> [String] {
    var complaints = Set(schema.keys).subtracting(Self.known).map { "\(place): the keyword \($0) is not known here" }
    if schema["description"] == nil { complaints.append("\(place): nothing describes it") }
    if let reference = schema["$ref"] as? String {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      guard let target = (root["$defs"] as? [String: Any])?[name] as? [String: Any] else {
        return complaints + ["\(place): \(reference) leads nowhere"]
      }
      complaints += check(value, target, at: place)
    }
    if let type = schema["type"] as? String, !Self.is(value, type) { return complaints + ["\(place) is no \(type)"] }
    if let constant = schema["const"], !Self.equal(constant, value) { complaints.append("\(place) is not \(constant)") }
    if let allowed = schema["enum"] as? [Any], !allowed.contains(where: { Self.equal($0, value) }) {
      complaints.append("\(place): \(value) is none of \(allowed)")
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      complaints.append("\(place): '\(text)' does not match \(pattern)")
    }
    if let number = (value as? NSNumber)?.doubleValue {
      if let least = schema["minimum"] as? Double, number < least { complaints.append("\(place) is under \(least)") }
      if let most = schema["maximum"] as? Double, number > most { complaints.append("\(place) is over \(most)") }
    }
    if let object = value as? [String: Any] { complaints += check(object, schema, at: place) }
    if let list = value as? [Any] { complaints += check(list, schema, at: place) }
    return complaints
  }

  private func check(_ object: [String: Any], _ schema: [String: Any], at place: String) -> [String] {
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    var complaints = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map { "\(place) lacks \($0)" }
    for (key, value) in object {
      if let property = properties[key] ?? schema["additionalProperties"] as? [String: Any] {
        complaints += check(value, property, at: "\(place).\(key)")
      } else if schema["additionalProperties"] as? Bool == false {
        complaints.append("\(place).\(key) is not described")
      }
    }
    return complaints
  }

  private func check(_ list: [Any], _ schema: [String: Any], at place: String) -> [String] {
    var complaints: [String] = []
    if let least = schema["minItems"] as? Int, list.count < least { complaints.append("\(place) has too few items") }
    if let most = schema["maxItems"] as? Int, list.count > most { complaints.append("\(place) has too many items") }
    guard let items = schema["items"] as? [String: Any] else { return complaints }
    return complaints + list.enumerated().flatMap { check($1, items, at: "\(place)[\($0)]") }
  }

  private static func `is`(_ value: Any, _ type: String) -> Bool {
    // Foundation has one class for numbers and truth values.
    let isTruth = (value as? NSNumber).map { CFBooleanKind.isBoolean($0) } ?? false
    return switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": isTruth
    case "integer": !isTruth && (value as? NSNumber).map { $0.doubleValue.rounded() == $0.doubleValue } ?? false
    case "number": !isTruth && value is NSNumber
    default: false
    }
  }

  private static func equal(_ a: Any, _ b: Any) -> Bool { (a as? NSObject) == (b as? NSObject) }

  private enum CFBooleanKind {
    /// Foundation tells truth values from numbers by their C type, `c`.
    static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
  }
}
