/// A HEIF or AVIF file, box by box (ISO/IEC 23008-12; ISO/IEC 14496-12, 8.11), for files that no encoder at hand
/// writes.
public struct HEIFFile: Sendable {
  /// Something that the file holds: a coded picture, a grid of them, metadata.
  public struct Item: Sendable {
    public var identifier: UInt16
    public var type: String
    public var data: [UInt8]
    /// Places in `properties`, from 0.
    public var properties: [Int]
    public var isHidden: Bool
    /// For the type `mime`.
    public var contentType: String?

    public init(
      _ identifier: UInt16, _ type: String, _ data: [UInt8], properties: [Int] = [], isHidden: Bool = false,
      contentType: String? = nil
    ) {
      (self.identifier, self.type, self.data, self.properties) = (identifier, type, data, properties)
      (self.isHidden, self.contentType) = (isHidden, contentType)
    }
  }

  /// `from` relates to `to` in the way that the type names: `dimg`, `auxl`, `thmb`, `cdsc`.
  public struct Reference: Sendable {
    public var type: String
    public var from: UInt16
    public var to: [UInt16]

    public init(_ type: String, from: UInt16, to: [UInt16]) { (self.type, self.from, self.to) = (type, from, to) }
  }

  public var brands: [String]
  public var primary: UInt16?
  /// Whole boxes.
  public var properties: [[UInt8]]
  public var items: [Item]
  public var references: [Reference]
  /// Whole boxes that follow the others in `meta`.
  public var otherBoxes: [[UInt8]] = []

  public init(
    brands: [String], primary: UInt16?, properties: [[UInt8]], items: [Item], references: [Reference] = []
  ) {
    (self.brands, self.primary, self.properties) = (brands, primary, properties)
    (self.items, self.references) = (items, references)
  }

  public var bytes: [UInt8] {
    let head = Box.make("ftyp", text(brands[0]), [0, 0, 0, 0], brands.flatMap(text))
    // Offsets are of one length, so that the box that holds them is, too.
    let start = head.count + meta(dataAt: 0).count + 8
    return head + meta(dataAt: start) + Box.make("mdat", items.flatMap(\.data))
  }

  private func meta(dataAt start: Int) -> [UInt8] {
    let handler = Box.full("hdlr", [0, 0, 0, 0], text("pict"), [UInt8](repeating: 0, count: 13))
    let primary = primary.map { Box.full("pitm", Box.short($0)) } ?? []
    let list = Box.full("iinf", Box.short(UInt16(items.count)), items.flatMap(information))
    let relations =
      references.isEmpty
      ? []
      : Box.full(
        "iref",
        references.flatMap { relation in
          Box.make(
            relation.type, Box.short(relation.from), Box.short(UInt16(relation.to.count)),
            relation.to.flatMap(Box.short))
        })
    let associated = items.filter { !$0.properties.isEmpty }
    let associations = Box.full(
      "ipma", Box.long(associated.count),
      associated.flatMap { item in
        Box.short(item.identifier) + [UInt8(item.properties.count)] + item.properties.map { UInt8($0 + 1) }
      })
    return Box.full(
      "meta", handler, primary, list, relations,
      Box.make("iprp", Box.make("ipco", properties.flatMap(\.self)), associations), locations(start),
      otherBoxes.flatMap(\.self))
  }

  private func information(of item: Item) -> [UInt8] {
    let name: [UInt8] = [0]
    let kind = item.contentType.map { text($0) + [0] } ?? []
    return Box.full(
      "infe", version: 2, flags: item.isHidden ? 1 : 0, Box.short(item.identifier), [0, 0], text(item.type), name, kind)
  }

  private func locations(_ start: Int) -> [UInt8] {
    var entries: [UInt8] = []
    var offset = start
    for item in items {
      // One extent, from the file's beginning.
      entries += Box.short(item.identifier) + [0, 0, 0, 1] + Box.long(offset) + Box.long(item.data.count)
      offset += item.data.count
    }
    return Box.full("iloc", [0x44, 0], Box.short(UInt16(items.count)), entries)
  }

  private func text(_ text: String) -> [UInt8] { Array(text.utf8) }
}

/// Boxes of an ISO base media file (ISO/IEC 14496-12, 4.2).
public enum Box {
  public static func make(_ type: String, _ parts: [UInt8]...) -> [UInt8] { make(type, parts) }

  private static func make(_ type: String, _ parts: [[UInt8]]) -> [UInt8] {
    let body = parts.flatMap(\.self)
    return long(body.count + 8) + Array(type.utf8) + body
  }

  public static func full(_ type: String, version: UInt8 = 0, flags: UInt8 = 0, _ parts: [UInt8]...) -> [UInt8] {
    make(type, [[version, 0, 0, flags]] + parts)
  }

  public static func short(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  public static func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

  /// The size of a picture, which every item that shows one has.
  public static func size(_ width: Int, _ height: Int) -> [UInt8] { full("ispe", long(width), long(height)) }
}
