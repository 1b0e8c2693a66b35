import Codecs
import FileBuilding
import Frames

struct SeedError: Error {}

private func picture(_ side: Int, grey: Bool = false) throws -> Frame {
  let plane = try Plane(width: side, height: side) { x, y in (x * 11 + y * 5) % 200 + 20 }
  return grey
    ? Frame(planes: [plane], encoding: .grey(.full), name: "seed")
    : Frame(planes: [plane, plane, plane], encoding: .yCbCr(.bt601, .full), name: "seed")
}

/// One file for every box that the reader of HEIF and AVIF knows, with a picture of 16x16.
func heifSeeds(_ format: ImageFormat) throws -> [(String, [UInt8])] {
  let options = EncodeOptions(format: format, quality: 20, strip: true)
  guard let coded = CodedPicture(file: try encode(picture(16), options: options)),
    let grey = CodedPicture(file: try encode(picture(16, grey: true), options: options))
  else { throw SeedError() }
  let suffix = format == .heif ? "heic" : "avif"
  let size = Box.size(16, 16)

  /// The picture with more properties, items and references.
  func file(
    _ properties: [[UInt8]] = [], items: [HEIFFile.Item] = [], references: [HEIFFile.Reference] = []
  ) -> [UInt8] {
    HEIFFile(
      brands: coded.brands, primary: 1, properties: [coded.configuration, size] + properties,
      items: [.init(1, coded.type, coded.data, properties: [0, 1] + properties.indices.map { $0 + 2 })] + items,
      references: references
    ).bytes
  }
  func text(_ text: String) -> [UInt8] { Array(text.utf8) }
  func derived(_ type: String, _ data: [UInt8], of parts: [UInt16], width: Int) -> [UInt8] {
    HEIFFile(
      brands: coded.brands, primary: 9,
      properties: [grey.configuration, coded.configuration, size, Box.size(width, 16)],
      items: parts.sorted().reduce(into: []) { items, part in
        if items.last?.identifier != part {
          items.append(.init(part, coded.type, coded.data, properties: [1, 2], isHidden: true))
        }
      } + [.init(9, type, data, properties: [3])],
      references: [.init("dimg", from: 9, to: parts)]
    ).bytes
  }
  let exif: [UInt8] = [
    0, 0, 0, 0, 0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
  ]
  let alpha = Box.full("auxC", text("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") + [0])
  let gainMap = Box.full("auxC", text("urn:com:apple:photo:2020:aux:hdrgainmap") + [0])
  func auxiliary(_ kind: [UInt8]) -> [UInt8] {
    HEIFFile(
      brands: coded.brands, primary: 1, properties: [grey.configuration, kind, coded.configuration, size],
      items: [
        .init(2, grey.type, grey.data, properties: [0, 3, 1]), .init(1, coded.type, coded.data, properties: [2, 3]),
      ], references: [.init("auxl", from: 2, to: [1])]
    ).bytes
  }
  var files: [(String, [UInt8])] = []
  func add(_ name: String, _ bytes: [UInt8]) { files.append(("box-\(name).\(suffix)", bytes)) }
  func words(_ numbers: Int...) -> [UInt8] { numbers.flatMap(Box.long) }

  add("plain", file())
  add("rotation", file([Box.make("irot", [1])]))
  add("mirror", file([Box.make("imir", [1])]))
  add("crop", file([Box.make("clap", words(12, 1, 12, 1, 0, 1, 0, 1))]))
  add("pixels", file([Box.full("pixi", [3, 8, 8, 8]), Box.make("pasp", words(1, 1))]))
  add("numbers", file([Box.make("colr", text("nclx"), [0, 9, 0, 16, 0, 9, 0x80])]))
  add("profile", file([Box.make("colr", text("prof"), [UInt8](repeating: 1, count: 40))]))
  add("light", file([Box.make("clli", [3, 232, 0, 100]), Box.make("mdcv", words(1, 1, 1, 1, 1, 1))]))
  add("layers", file([Box.make("lsel", [0, 0]), Box.make("a1op", [0]), Box.make("a1lx", [0, 0, 9, 0, 9, 0, 9])]))
  add("description", file([Box.full("udes", text("en"), [0, 0, 0, 0]), Box.full("rloc", words(0, 0))]))
  add("exif", file(items: [.init(2, "Exif", exif)], references: [.init("cdsc", from: 2, to: [1])]))
  let xmp = HEIFFile.Item(2, "mime", text("<x:xmpmeta/>"), contentType: "application/rdf+xml")
  add("xmp", file(items: [xmp], references: [.init("cdsc", from: 2, to: [1])]))
  let second = HEIFFile.Item(2, coded.type, coded.data, properties: [0, 1])
  add("thumbnail", file(items: [second], references: [.init("thmb", from: 2, to: [1])]))
  add("collection", file(items: [second]))
  add("alpha", auxiliary(alpha))
  add("gainmap", auxiliary(gainMap))
  add("depth", auxiliary(Box.full("auxC", text("urn:mpeg:hevc:2015:auxid:2"), [0])))
  let extent = Box.short(32) + Box.short(16)
  add("grid", derived("grid", [0, 0, 0, 1] + extent, of: [1, 2], width: 32))
  add("identity", derived("iden", [], of: [1], width: 16))
  let places: [UInt8] = [0, 0, 0, 0, 0, 16, 0, 0]
  add("overlay", derived("iovl", [0, 0, 0, 0, 0, 0, 0, 0, 255, 255] + extent + places, of: [1, 2], width: 32))
  add("tonemap", derived("tmap", [0], of: [1, 2], width: 16))
  return files
}

/// Texts, Exif before and behind the samples, and what tells of animations and colours.
func pngSeeds() throws -> [(String, [UInt8])] {
  let plain = try encode(picture(8), options: EncodeOptions(format: .png, strip: true))
  func file(_ chunk: [UInt8], behind: Bool = false) -> [UInt8] {
    var bytes = plain
    bytes.insert(contentsOf: chunk, at: behind ? bytes.count - 12 : 8 + 25)
    return bytes
  }
  func text(_ text: String) -> [UInt8] { Array(text.utf8) }
  let exif: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
  let digits = text("\nexif\n      26\n49492a00080000000100120103000100000006000000000000000000\n")
  return [
    ("raw-text.png", file(PNGChunk.make("tEXt", text("Raw profile type exif") + [0] + digits))),
    ("raw-zip.png", file(PNGChunk.make("zTXt", text("Raw profile type APP1") + [0, 0] + PNGChunk.stored(digits)))),
    ("xmp.png", file(PNGChunk.make("iTXt", text("XML:com.adobe.xmp") + [0, 0, 0, 0, 0] + text("<x:xmpmeta/>")))),
    ("exif-before.png", file(PNGChunk.make("eXIf", exif))),
    ("exif-behind.png", file(PNGChunk.make("eXIf", exif), behind: true)),
    ("animation.png", file(PNGChunk.make("acTL", [0, 0, 0, 3, 0, 0, 0, 0]))),
    ("colours.png", file(PNGChunk.make("cICP", [9, 16, 0, 1]))),
  ]
}

func maskSeeds() throws -> [(String, [UInt8])] {
  try [ImageFormat.png, .jpeg, .tiff, .webp].map { format in
    ("mask.\(format.rawValue)", try encode(picture(16, grey: format != .webp), options: EncodeOptions(format: format)))
  }
}
