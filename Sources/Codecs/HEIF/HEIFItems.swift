/// What the `meta` box of a HEIF file says of its items (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 9.3): which is the
/// picture, which properties are whose, and what is made of what.
struct HEIFItems {
  /// A property of the file's list: a box and its contents.
  typealias Property = (type: String, body: Range<Int>)

  /// The whole file, in which properties are told by places; it must outlive this.
  let file: UnsafeBufferPointer<UInt8>
  /// The item that `pitm` names; nil when none does.
  let primary: UInt32?
  private let types: [UInt32: String]
  private let properties: [Property]
  /// Places in `properties`, from 1, by item.
  private let associations: [UInt32: [Int]]
  /// The pictures that a derived one is made of (`dimg`), by item, in order.
  private let parts: [UInt32: [UInt32]]

  init(_ file: UnsafeBufferPointer<UInt8>) {
    self.file = file
    let reader = BoxReader(file)
    let meta = (reader.first("meta", in: file.indices) ?? 0..<0).dropFirst(4)
    primary = Self.primary(reader, meta)
    types = Self.types(reader, meta)
    let list = reader.first("iprp", in: meta) ?? 0..<0
    var properties: [Property] = []
    if let container = reader.first("ipco", in: list) {
      reader.forEach(in: container) { properties.append(($0, $1)) }
    }
    self.properties = properties
    associations = Self.associations(reader, list)
    parts = Self.parts(reader, meta)
  }

  /// Whether the file holds the item.
  func contains(_ item: UInt32) -> Bool { types[item] != nil }

  /// An item's properties, in the order in which they apply.
  func properties(of item: UInt32) -> [Property] {
    (associations[item] ?? []).compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
  }

  /// An item's property of one of the given types: its own, or that of the first picture it is made of. The tiles of a
  /// grid are coded alike (ISO/IEC 23008-12, 6.6.2.3.1).
  func codedProperty(_ wanted: Set<String>, of item: UInt32) -> Property? {
    var item = item
    // A derived picture may be made of derived ones; whoever goes round in circles is left.
    for _ in 0..<8 {
      if let found = properties(of: item).first(where: { wanted.contains($0.type) }) { return found }
      guard let part = parts[item]?.first else { return nil }
      item = part
    }
    return nil
  }

  /// Item types that libheif decodes by themselves, and those that are made of others.
  private static let (coded, derived) = (Set(["hvc1", "av01"]), Set(["grid", "iden", "iovl"]))

  /// Whether a picture and all that it is made of are there: libheif ends the process where a part is missing.
  func isWhole(_ item: UInt32) -> Bool {
    guard let type = types[item] else { return false }
    guard Self.derived.contains(type) else { return true }
    // What is derived of derived pictures, level by level; whoever goes round in circles never ends.
    var level: Set = [item]
    for _ in 0..<7 {
      var next: Set<UInt32> = []
      for item in level {
        guard let own = parts[item], !own.isEmpty else { return false }
        next.formUnion(own)
      }
      guard next.allSatisfy({ types[$0].map { Self.coded.contains($0) || Self.derived.contains($0) } ?? false }) else {
        return false
      }
      level = next.filter { types[$0].map(Self.derived.contains) ?? false }
      if level.isEmpty { return true }
    }
    return false
  }

  /// Whether the file has a gain map: Apple's auxiliary picture, or a derived picture by ISO 21496-1.
  var hasGainMap: Bool {
    types.values.contains("tmap")
      || properties.contains { $0.type == "auxC" && Array("hdrgainmap".utf8).isContained(in: file[$0.body]) }
  }

  private static func primary(_ reader: BoxReader, _ meta: Range<Int>) -> UInt32? {
    guard let box = reader.first("pitm", in: meta) else { return nil }
    var numbers = reader.numbers(in: box)
    guard let header = numbers.fullBoxHeader() else { return nil }
    return numbers.next(bytes: header.version == 0 ? 2 : 4).map(UInt32.init(truncatingIfNeeded:))
  }

  private static func types(_ reader: BoxReader, _ meta: Range<Int>) -> [UInt32: String] {
    var types: [UInt32: String] = [:]
    guard let list = reader.first("iinf", in: meta) else { return types }
    var numbers = reader.numbers(in: list)
    guard let header = numbers.fullBoxHeader(), numbers.next(bytes: header.version == 0 ? 2 : 4) != nil else {
      return types
    }
    reader.forEach(in: numbers.rest) { type, body in
      guard type == "infe" else { return }
      var numbers = reader.numbers(in: body)
      // Versions before 2 have no type; HEIF does not use them.
      guard let header = numbers.fullBoxHeader(), header.version >= 2,
        let item = numbers.next(bytes: header.version == 2 ? 2 : 4), numbers.next(bytes: 2) != nil,
        let code = numbers.next(bytes: 4)
      else { return }
      let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
      types[UInt32(truncatingIfNeeded: item)] = String(decoding: characters, as: UTF8.self)
    }
    return types
  }

  private static func associations(_ reader: BoxReader, _ list: Range<Int>) -> [UInt32: [Int]] {
    var associations: [UInt32: [Int]] = [:]
    reader.forEach(in: list) { type, body in
      guard type == "ipma" else { return }
      var numbers = reader.numbers(in: body)
      guard let header = numbers.fullBoxHeader(), let count = numbers.next(bytes: 4) else { return }
      for _ in 0..<count {
        guard let item = numbers.next(bytes: header.version == 0 ? 2 : 4), let length = numbers.next(bytes: 1) else {
          return
        }
        for _ in 0..<length {
          let isLong = header.flags & 1 != 0
          guard let entry = numbers.next(bytes: isLong ? 2 : 1) else { return }
          // The highest bit says whether a reader must know the property.
          associations[UInt32(truncatingIfNeeded: item), default: []].append(entry & (isLong ? 0x7FFF : 0x7F))
        }
      }
    }
    return associations
  }

  private static func parts(_ reader: BoxReader, _ meta: Range<Int>) -> [UInt32: [UInt32]] {
    var parts: [UInt32: [UInt32]] = [:]
    guard let list = reader.first("iref", in: meta) else { return parts }
    var numbers = reader.numbers(in: list)
    guard let header = numbers.fullBoxHeader() else { return parts }
    let bytes = header.version == 0 ? 2 : 4
    reader.forEach(in: numbers.rest) { type, body in
      guard type == "dimg" else { return }
      var numbers = reader.numbers(in: body)
      guard let item = numbers.next(bytes: bytes), let count = numbers.next(bytes: 2) else { return }
      for _ in 0..<count {
        guard let part = numbers.next(bytes: bytes) else { return }
        parts[UInt32(truncatingIfNeeded: item), default: []].append(UInt32(truncatingIfNeeded: part))
      }
    }
    return parts
  }
}
