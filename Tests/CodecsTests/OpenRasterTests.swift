import Foundation
import FoundationXML
import Frames
import Testing

@testable import Codecs

/// Layers as OpenRaster files, taken apart byte by byte.
struct OpenRasterTests {
  private static let size = Size(width: 12, height: 8)

  private func picture(_ size: Size, level: Int, name: String) throws -> Frame {
    let plane = try Plane(width: size.width, height: size.height) { x, y in (level + 3 * x + 5 * y) % 256 }
    return Frame(planes: [plane], encoding: .grey(.full), name: name)
  }

  private func layered(_ name: String = "3: a.jpg") throws -> LayeredPicture {
    let part = Size(width: 4, height: 2)
    let alpha = try Plane(width: 4, height: 2) { x, _ in 80 * x }
    let layer = LayeredPicture.Layer(
      name: name, x: 5, y: 6, picture: try picture(part, level: 90, name: name), alpha: alpha)
    let whole = try picture(Self.size, level: 7, name: "plate")
    return LayeredPicture(merged: whole, thumbnail: whole, groups: [.init(name: "place 1", layers: [layer, layer])])
  }

  /// Files by name, in their order, with what the archive says of them checked.
  private func files(_ archive: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
    func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(archive[at + $1]) << (8 * $1) } }
    var (files, at): ([(String, [UInt8])], Int) = ([], 0)
    while number(at, 4) == 0x0403_4B50 {
      #expect(number(at + 8, 2) == 0 && number(at + 18, 4) == number(at + 22, 4))
      let start = at + 30 + number(at + 26, 2) + number(at + 28, 2)
      let bytes = Array(archive[start..<start + number(at + 18, 4)])
      #expect(number(at + 14, 4) == Int(checksum(bytes)))
      files.append((String(decoding: archive[at + 30..<at + 30 + number(at + 26, 2)], as: UTF8.self), bytes))
      at = start + bytes.count
    }
    // The directory begins where the end says, and holds each file.
    let end = archive.count - 22
    #expect(number(end, 4) == 0x0605_4B50 && number(end + 16, 4) == at && number(end + 10, 2) == files.count)
    for file in files {
      #expect(number(at, 4) == 0x0201_4B50 && number(at + 20, 4) == file.1.count)
      at += 46 + number(at + 28, 2)
    }
    #expect(at == end)
    return files
  }

  /// ISO 3309's, bit by bit.
  private func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }

  @Test func holdsPlateAndLayers() throws {
    let options = EncodeOptions(format: .jpeg)
    let archive = try layered().openRaster(options)
    #expect(try archive == layered().openRaster(options))
    let files = try files(archive)
    #expect(
      files.map(\.name) == [
        "mimetype", "mergedimage.png", "data/plate.png", "data/0-0.png", "data/0-1.png", "stack.xml",
        "Thumbnails/thumbnail.png",
      ])
    #expect(files[0].bytes == Array("image/openraster".utf8))
    let merged = try decode(files[1].bytes, name: "merged")
    #expect(merged.planes == (try layered()).merged.planes && files[1].bytes == files[2].bytes)
    let part = try readHeader(files[3].bytes, name: "part")
    #expect(part.size == Size(width: 4, height: 2))
  }

  @Test func namesMayHoldWhateverFilesAreCalled() throws {
    let name = "<\"&'>\u{1}é.jpg"
    let files = try files(layered(name).openRaster(EncodeOptions(format: .png)))
    let reader = StackReader()
    let parser = XMLParser(data: Data(try #require(files.first { $0.name == "stack.xml" }).bytes))
    parser.delegate = reader
    #expect(parser.parse())
    #expect(reader.layers.count == 3)
    #expect(reader.layers[0]["name"] == "<\"&'>é.jpg" && reader.layers[0]["x"] == "5" && reader.layers[0]["y"] == "6")
    #expect(reader.layers[0]["visibility"] == "hidden" && reader.layers[2]["visibility"] == nil)
    let names = Set(files.map(\.name))
    #expect(reader.layers.allSatisfy { names.contains($0["src"] ?? "") })
  }

  private final class StackReader: NSObject, XMLParserDelegate {
    var layers: [[String: String]] = []

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      if element == "layer" { layers.append(attributes) }
    }
  }
}
