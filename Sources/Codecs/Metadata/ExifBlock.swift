/// Writes an Exif block of a few tags, little-endian (CIPA DC-008, 4.5-4.6).
package struct ExifBlock {
  package enum Value {
    case text(String)
    case byte(UInt8)
    case rationals([(UInt32, UInt32)])
    /// Of no type: a maker's note.
    case bytes([UInt8])
  }

  /// Values by tag.
  package var picture: [Int: Value]
  package var exif: [Int: Value]
  package var gps: [Int: Value]

  package init(picture: [Int: Value] = [:], exif: [Int: Value] = [:], gps: [Int: Value] = [:]) {
    (self.picture, self.exif, self.gps) = (picture, exif, gps)
  }

  package var bytes: [UInt8] {
    var picture = picture
    var block = Array("II".utf8) + short(42) + long(8)
    let parts = [(0x8769, exif), (0x8825, gps)].filter { !$0.1.isEmpty }
    for (tag, _) in parts { picture[tag] = .rationals([]) }
    // The directory's length is known before what follows it is placed.
    var next = 8 + length(of: picture)
    var places: [Int: Int] = [:]
    for (tag, values) in parts {
      places[tag] = next
      next += length(of: values)
    }
    block += directory(picture, at: 8, pointers: places)
    for (tag, values) in parts { block += directory(values, at: places[tag] ?? 0, pointers: [:]) }
    return block
  }

  private func length(of values: [Int: Value]) -> Int {
    2 + 12 * values.count + 4 + values.values.reduce(0) { $0 + outside($1).count }
  }

  private func directory(_ values: [Int: Value], at start: Int, pointers: [Int: Int]) -> [UInt8] {
    var entries = short(values.count)
    var rest: [UInt8] = []
    let restStart = start + 2 + 12 * values.count + 4
    for (tag, value) in values.sorted(by: { $0.key < $1.key }) {
      if let place = pointers[tag] {
        entries += short(tag) + short(4) + long(1) + long(place)
        continue
      }
      let (type, count, contents) = stored(value)
      entries += short(tag) + short(type) + long(count)
      let far = outside(value)
      entries +=
        far.isEmpty ? contents + [UInt8](repeating: 0, count: 4 - contents.count) : long(restStart + rest.count)
      rest += far
    }
    return entries + long(0) + rest
  }

  /// What does not fit into an entry, of an even length.
  private func outside(_ value: Value) -> [UInt8] {
    let contents = stored(value).contents
    return contents.count <= 4 ? [] : contents + (contents.count % 2 == 1 ? [0] : [])
  }

  private func stored(_ value: Value) -> (type: Int, count: Int, contents: [UInt8]) {
    switch value {
    case .text(let text):
      let characters = Array(text.utf8) + [0]
      return (2, characters.count, characters)
    case .byte(let byte): return (1, 1, [byte])
    case .bytes(let bytes): return (7, bytes.count, bytes)
    case .rationals(let numbers):
      return (5, numbers.count, numbers.flatMap { long(Int($0.0)) + long(Int($0.1)) })
    }
  }

  private func short(_ value: Int) -> [UInt8] { [0, 8].map { UInt8(truncatingIfNeeded: value >> $0) } }
  private func long(_ value: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }
}
