import Foundation

extension Encodable {
  /// As JSON in UTF-8, without a newline at its end. Keys are sorted: equal values are equal bytes.
  /// - Parameter spread: over lines, for people to read; otherwise all on one.
  package func sortedJSON(spread: Bool = true) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      spread ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
    return try Array(encoder.encode(self))
  }
}
