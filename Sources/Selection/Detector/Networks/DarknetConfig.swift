import ShimSupport

/// The sections of a Darknet network's text file: `[kind]`, then settings, a line each.
struct DarknetSection {
  let kind: String
  /// From 1, without the one about the network.
  let number: Int
  private var settings: [String: String] = [:]

  private init(kind: String, number: Int) { (self.kind, self.number) = (kind, number) }

  /// - Throws: `ShimError` when the text is no such file.
  static func all(in text: [UInt8]) throws(ShimError) -> [DarknetSection] {
    var sections: [DarknetSection] = []
    for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      let line = String(decoding: line.filter { !Self.isBlank($0) }, as: UTF8.self)
      switch line.first {
      case nil, "#", ";": continue
      case "[":
        guard line.last == "]" else { throw .noNetwork("has the line '\(line.prefix(40))', which is no section") }
        sections.append(DarknetSection(kind: String(line.dropFirst().dropLast()), number: sections.count))
      default:
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !sections.isEmpty else {
          throw .noNetwork("has the line '\(line.prefix(40))', which is no setting")
        }
        sections[sections.count - 1].settings[String(parts[0])] = String(parts[1])
      }
    }
    return sections
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// A setting that is a whole number within a range; `usual` where it is missing.
  /// - Throws: `ShimError` when it is another, or missing without a usual one.
  func number(_ name: String, _ usual: Int? = nil, in range: ClosedRange<Int>) throws(ShimError) -> Int {
    guard let text = settings[name] else {
      guard let usual else { throw refusal("lacks '\(name)'") }
      return usual
    }
    guard let value = Int(text), range.contains(value) else { throw wrong(name) }
    return value
  }

  /// Whole numbers, with commas between them; nil where the setting is missing.
  func numbers(_ name: String) throws(ShimError) -> [Int]? {
    try list(name) { Int($0).flatMap { abs($0) < 1 << 20 ? $0 : nil } }
  }

  /// Numbers that are finite.
  func values(_ name: String) throws(ShimError) -> [Float]? {
    try list(name) { Float($0).flatMap { $0.isFinite ? $0 : nil } }
  }

  /// A setting that is a text; `usual` where it is missing.
  func text(_ name: String, _ usual: String) -> String { settings[name] ?? usual }

  /// Refuses a setting that is there and not `usual`.
  func demand(_ name: String, _ usual: String) throws(ShimError) {
    guard text(name, usual) == usual else { throw wrong(name) }
  }

  func wrong(_ name: String) -> ShimError {
    refusal("says '\(name)=\(text(name, "").prefix(40))', which is unknown here")
  }

  /// An error about this section.
  func refusal(_ detail: String) -> ShimError { .noNetwork("\(detail) in its layer \(number), [\(kind.prefix(40))]") }

  private func list<Value>(_ name: String, _ value: (Substring) -> Value?) throws(ShimError) -> [Value]? {
    guard let text = settings[name] else { return nil }
    // A comma may end the list.
    let parts = text.split(separator: ",")
    let values = parts.compactMap(value)
    guard !values.isEmpty, values.count == parts.count else { throw wrong(name) }
    return values
  }
}
