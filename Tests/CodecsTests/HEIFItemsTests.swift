import FileBuilding
import Foundation
import Frames
import Testing

@testable import Codecs

/// Files in which the first decoder configuration is not the primary picture's, and files without a primary picture.
@Suite struct HEIFItemsTests {
  static let formats: [ImageFormat] = [.heif, .avif]
  static let alphaType = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"

  func coded(_ format: ImageFormat, _ frame: Frame) throws -> CodedPicture {
    let file = try encode(frame, options: EncodeOptions(format: format, quality: 95, strip: true))
    return try #require(CodedPicture(file: file))
  }

  func colour(_ width: Int = 64, _ height: Int = 64, _ chroma: PlaneGrid = .full) throws -> Frame {
    try testFrame(width, height, encoding: .rgb).converted(
      to: PixelLayout(encoding: .yCbCr(.bt601, .full), bits: 8, grids: [.full, chroma, chroma]))
  }

  /// A coloured picture whose alpha plane's properties come first.
  func alphaFirst(_ picture: CodedPicture, _ alpha: CodedPicture) -> HEIFFile {
    HEIFFile(
      brands: picture.brands, primary: 1,
      properties: [
        alpha.configuration, Box.full("auxC", Array(Self.alphaType.utf8) + [0]), picture.configuration,
        Box.size(64, 64),
      ],
      items: [
        .init(2, alpha.type, alpha.data, properties: [0, 3, 1]),
        .init(1, picture.type, picture.data, properties: [2, 3]),
      ],
      references: [.init("auxl", from: 2, to: [1])])
  }

  @Test(arguments: formats, [PlaneGrid.full, PlaneGrid(scaleX: 2, scaleY: 2)])
  func alphaDoesNotTellThePicturesChroma(_ format: ImageFormat, _ chroma: PlaneGrid) throws {
    let frame = try colour(64, 64, chroma)
    let file = alphaFirst(try coded(format, frame), try coded(format, try testFrame(64, 64, encoding: .grey(.full))))
    let back = try decode(file.bytes, name: "x")
    #expect(back.layout == frame.layout)
    #expect(meanDifference(back, frame) < 3)
  }

  @Test(arguments: formats) func tilesTellTheirGridsChroma(_ format: ImageFormat) throws {
    let tile = try colour()
    let (picture, grey) = (try coded(format, tile), try coded(format, try testFrame(64, 64, encoding: .grey(.full))))
    let file = HEIFFile(
      brands: picture.brands, primary: 10,
      properties: [grey.configuration, Box.size(64, 64), picture.configuration, Box.size(128, 64)],
      items: [
        .init(3, grey.type, grey.data, properties: [0, 1]),
        .init(1, picture.type, picture.data, properties: [2, 1], isHidden: true),
        .init(2, picture.type, picture.data, properties: [2, 1], isHidden: true),
        // A row of two columns, 128x64 (ISO/IEC 23008-12, 6.6.2.3.2).
        .init(10, "grid", [0, 0, 0, 1] + Box.short(128) + Box.short(64), properties: [3]),
      ],
      references: [.init("thmb", from: 3, to: [10]), .init("dimg", from: 10, to: [1, 2])])
    let back = try decode(file.bytes, name: "x")
    #expect(back.size == Size(width: 128, height: 64))
    #expect(back.layout == tile.layout)
    for (ours, coded) in zip(back.planes, tile.planes) {
      #expect(
        [5, 33, 60].allSatisfy { abs(ours[$0, 20] - coded[$0, 20]) < 12 && abs(ours[64 + $0, 20] - coded[$0, 20]) < 12 }
      )
    }
  }

  /// Each picture of a collection is read in its own chroma format.
  @Test(arguments: formats) func picturesOfACollectionHaveTheirOwnChroma(_ format: ImageFormat) throws {
    let frames = [try colour(64, 64, PlaneGrid(scaleX: 2, scaleY: 2)), try colour()]
    let pictures = try frames.map { try coded(format, $0) }
    let file = HEIFFile(
      brands: pictures[0].brands, primary: 1,
      properties: [pictures[0].configuration, pictures[1].configuration, Box.size(64, 64)],
      items: pictures.enumerated().map { index, picture in
        .init(UInt16(index + 1), picture.type, picture.data, properties: [index, 2])
      })
    for (index, frame) in frames.enumerated() {
      let back = try decode(file.bytes, name: "x", picture: index)
      #expect(back.layout == frame.layout && meanDifference(back, frame) < 3, "\(index)")
    }
  }

  /// What `pitm` may say instead of naming a picture.
  enum Primary: CaseIterable { case none, absent, metadata, withoutProperties }

  @Test(arguments: formats, Primary.allCases)
  func withoutAPrimaryPictureItIsRefused(_ format: ImageFormat, _ primary: Primary) throws {
    let picture = try coded(format, try colour())
    var file = HEIFFile(
      brands: picture.brands, primary: 1, properties: [picture.configuration, Box.size(64, 64)],
      items: [
        .init(1, picture.type, picture.data, properties: [0, 1]), .init(2, "Exif", [0, 0, 0, 0, 0x49, 0x49, 0x2A, 0]),
      ],
      references: [.init("cdsc", from: 2, to: [1])])
    #expect(try decode(file.bytes, name: "x").size == Size(width: 64, height: 64))
    switch primary {
    case .none: file.primary = nil
    case .absent: file.primary = 77
    case .metadata: file.primary = 2
    case .withoutProperties:
      file.items.append(.init(3, picture.type, picture.data))
      file.primary = 3
    }
    for acceptsDamaged in [false, true] {
      let options = DecodeOptions(acceptsDamaged: acceptsDamaged)
      #expect(throws: CodecError.self) { try decode(file.bytes, name: "x", options: options) }
      #expect(throws: CodecError.self) { try readHeader(file.bytes, name: "x", options: options) }
    }
  }

  /// Boxes that lead in circles or nowhere end the search, not the program.
  @Test func circlesAndLiesEnd() throws {
    let picture = try coded(.heif, try colour())
    var file = HEIFFile(
      brands: picture.brands, primary: 1, properties: [picture.configuration],
      items: [.init(1, "grid", [], properties: [9]), .init(2, "grid", [])],
      references: [.init("dimg", from: 1, to: [2]), .init("dimg", from: 2, to: [1])])
    func chroma(_ bytes: [UInt8]) -> HEIFChroma {
      bytes.withUnsafeBufferPointer { HEIFChroma.find(in: HEIFItems($0), item: 1) }
    }
    #expect(chroma(file.bytes) == .half)
    file.references = []
    for length in 0..<file.bytes.count { #expect(chroma(Array(file.bytes[..<length])) == .half) }
  }

  /// A picture of pictures of pictures, each of which is made of all of the next level, as are all others.
  @Test(.timeLimit(.minutes(1)), arguments: [3, 7, 8]) func sharedPartsAreLookedAtOnce(levels: Int) throws {
    let picture = try coded(.heif, try colour())
    let width = 50
    func identifiers(_ level: Int) -> [UInt16] { (0..<width).map { UInt16(2 + level * width + $0) } }
    var (items, references) = (
      [HEIFFile.Item(1, "grid", [])], [HEIFFile.Reference("dimg", from: 1, to: identifiers(0))]
    )
    for level in 0..<levels - 1 {
      items += identifiers(level).map { .init($0, "grid", []) }
      references += identifiers(level).map { .init("dimg", from: $0, to: identifiers(level + 1)) }
    }
    items += identifiers(levels - 1).map { .init($0, picture.type, []) }
    let file = HEIFFile(brands: picture.brands, primary: 1, properties: [], items: items, references: references)
    #expect(file.bytes.withUnsafeBufferPointer { HEIFItems($0).isWhole(1) } == (levels < 8))
  }

  /// A picture that is another one, which the file does not hold: libheif 1.15 asserts that it is there.
  @Test func missingPartsAreRefused() throws {
    let coded = """
      AAAAGGZ0eXBoZWljAAAAAGhlaWNtaWYxAAAB9W1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAAADnBp
      dG0AAAAAAAkAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAQABAABodmMwAAAAABVpbmZlAgAAAAAJAABpZGVuAAAAABppcmVmAAAA
      AAAAAA5kaW1nAAkAAQABAAABPGlwcnAAAAEbaXBjbwAAAHRodmNDAQQIAAAAAAAAAAAAHvAA/Pz4+AAADwMgAAEAF0ABDAH//wQI
      AAADAJ/4AAADAAAeugJAIQABAClCAQEECAAAAwCf+AAAAwAAHsCCBBZbqrprm4CGgwIAAAMAAgAAAwACECIAAQAGRAHBc8GJAAAA
      d2h2Y0MBBAgAAAAAAAAAAAAe8AD8//j4AAAPAyAAAQAXQAEMAf//BAgAAAMAnjgAAAMAAB66AkAhAAEAKkIBAQQIAAADAJ44AAAD
      AAAekAQQILLdVdNc3AQ0GBAAAAMAEAAAAwAQgCIAAQAIRAHBcxgwGJAAAAAUaXNwZQAAAAAAAAAQAAAAEAAAABRpc3BlAAAAAAAA
      ABAAAAAQAAAAGWlwbWEAAAAAAAAAAgABAgIDAAkBBAAAACxpbG9jAAAAAEQAAAIAAQAAAAEAAAIVAAAAVAAJAAAAAQAAAmkAAAAA
      AAAAXG1kYXQAAABQKAGvC0hpzxr64owLR+EY8wyAc3BxMqoEmbN/8sU2t48j4TlmIdu/4G8aU3lg+eWI8zfM9X57jI9dFHrDgdgj
      kOFxUERAvV9gN5F+6K2MLSA=
      """
    let file = try #require(Data(base64Encoded: coded.filter { !$0.isWhitespace }))
    #expect(throws: CodecError.self) { try decode(Array(file), name: "parts.heic") }
  }
}
