import Frames
import Testing

@testable import Codecs

@Suite struct JPEGBandsTests {
  static let kinds: [PlaneGrid?] = [nil] + JPEGTests.grids
  /// Few and many bands, odd sides, sides that are whole MCUs and such that are one off, a row and a column.
  static let sizes = [
    Size(width: 64, height: 176), Size(width: 65, height: 177), Size(width: 63, height: 335),
    Size(width: 1, height: 90),
    Size(width: 90, height: 1), Size(width: 30, height: 17), Size(width: 131, height: 34),
  ]
  /// One row of MCUs to a band, and a few.
  static let pixels = [1, 3000]

  /// A picture whose every block differs from its neighbours; grey without `chroma`.
  static func noisy(_ size: Size, _ chroma: PlaneGrid?, metadata: Metadata = Metadata()) throws -> Frame {
    let grids = chroma.map { [.full, $0, $0] } ?? [.full]
    let planes = try grids.enumerated().map { index, grid in
      let size = grid.planeSize(for: size)
      return try Plane(width: size.width, height: size.height, bits: 8) { x, y in
        var hash = UInt32(truncatingIfNeeded: (y * 70_001 + x) * 3 + index) &* 2_654_435_761
        hash = (hash ^ hash >> 15) &* 2_246_822_519
        return (x * 5 + y * 3) % 192 + Int(hash >> 26)
      }
    }
    return Frame(
      planes: planes, grids: grids, encoding: chroma == nil ? .grey(.full) : .yCbCr(.bt601, .full), name: "noise",
      metadata: metadata)
  }

  static func bytes(of frame: Frame, pixels: Int, threads: Int = 2, quality: Int = 95) throws -> [UInt8] {
    var encoder = JPEGEncoder(options: EncodeOptions(format: .jpeg, quality: quality, threads: threads))
    encoder.bandPixels = pixels
    return try encoder.encode(frame, frame.metadata)
  }

  @Test(arguments: kinds, sizes) func samplesAreThoseOfOneBand(_ chroma: PlaneGrid?, _ size: Size) throws {
    let frame = try Self.noisy(size, chroma)
    for quality in [40, 95, 100] {
      let whole = try decode(try Self.bytes(of: frame, pixels: 1 << 30, quality: quality), name: "whole")
      #expect(whole.size == size)
      for pixels in Self.pixels {
        let banded = try decode(try Self.bytes(of: frame, pixels: pixels, quality: quality), name: "banded")
        #expect(banded.planes == whole.planes)
      }
    }
  }

  @Test(arguments: kinds, sizes) func markersStandWhereTheyBelong(_ chroma: PlaneGrid?, _ size: Size) throws {
    for pixels in Self.pixels {
      let scan = try LoneReader(try Self.bytes(of: try Self.noisy(size, chroma), pixels: pixels))
      #expect(scan.size == size)
      let unit = chroma.map { Size(width: 8 * $0.scaleX, height: 8 * $0.scaleY) } ?? Size(width: 8, height: 8)
      #expect(scan.unit == unit)
      let rows = (size.height + unit.height - 1) / unit.height
      if pixels == 1 {
        #expect(scan.restartInterval == (rows == 1 ? nil : scan.unitsInRow))
        #expect(scan.restarts.count == rows - 1)
      }
      let interval = scan.restartInterval ?? scan.unitsInRow * rows
      #expect(interval % scan.unitsInRow == 0)
      #expect(scan.restarts.count == (scan.unitsInRow * rows + interval - 1) / interval - 1)
      #expect(scan.restarts == scan.restarts.indices.map { $0 % 8 })
    }
  }

  /// libjpeg, told to put restart markers into the file of one band, writes the same bytes.
  @Test(.enabled(if: Tool.has("jpegtran"), "needs libjpeg-turbo-progs"), arguments: kinds, sizes)
  func bytesAreThoseOfLibjpeg(_ chroma: PlaneGrid?, _ size: Size) throws {
    let folder = try TemporaryFolder()
    let frame = try Self.noisy(size, chroma)
    let whole = try folder.write(try Self.bytes(of: frame, pixels: 1 << 30), to: "whole.jpg")
    for pixels in Self.pixels {
      let banded = try Self.bytes(of: frame, pixels: pixels)
      let interval = try LoneReader(banded).restartInterval ?? 0
      #expect(try Tool("jpegtran")("-restart", "\(interval)B", whole) == banded)
    }
  }

  @Test(.enabled(if: Tool.has("djpeg", Tool.imageMagick), "needs libjpeg-turbo-progs, imagemagick"), arguments: kinds)
  func othersReadItWithoutWarning(_ chroma: PlaneGrid?) throws {
    let folder = try TemporaryFolder()
    let frame = try Self.noisy(Size(width: 131, height: 335), chroma)
    let path = try folder.write(try Self.bytes(of: frame, pixels: 1), to: "a.jpg")
    // Both end with an error when something is odd.
    #expect(try readPNM(try Tool("djpeg")("-pnm", path)).size == frame.size)
    #expect(try readPNM(try Tool(Tool.imageMagick)("-regard-warnings", path, "pnm:-")).size == frame.size)
  }

  @Test(arguments: JPEGTests.grids) func bytesDoNotDependOnThreads(_ chroma: PlaneGrid) throws {
    let frame = try Self.noisy(Size(width: 1501, height: 1203), chroma)
    let encoded = try [1, 4].map { try encode(frame, options: EncodeOptions(format: .jpeg, threads: $0)) }
    #expect(encoded[0] == encoded[1])
    #expect(try !LoneReader(encoded[0]).restarts.isEmpty)
  }

  @Test func manyTasksMayEncodeAtOnce() async throws {
    let frame = try Self.noisy(Size(width: 200, height: 300), JPEGTests.grids[2])
    let expected = try Self.bytes(of: frame, pixels: 1, threads: 1)
    let encoded = try await mapIndices(count: 200, threads: 32) { _ in
      try Self.bytes(of: frame, pixels: 1, threads: 8)
    }
    #expect(encoded.allSatisfy { $0 == expected })
  }

  @Test func threadsAreWithinBounds() {
    #expect(
      [-1, 0, 1, 3, 1024, 9999].map { EncodeOptions(format: .jpeg, threads: $0).threads } == [1, 1, 1, 3, 1024, 1024])
  }

  @Test func smallPicturesHaveNoRestartMarkers() throws {
    let bytes = try encode(try Self.noisy(Size(width: 512, height: 1024), nil), options: EncodeOptions(format: .jpeg))
    #expect(try LoneReader(bytes).restartInterval == nil)
  }

  @Test func metadataStandBeforeThePicture() throws {
    let profile = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    let metadata = Metadata(
      iccProfile: profile, exif: [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0], xmp: Array("<x/>".utf8),
      iptc: [0x1C, 2, 5, 0, 1, 65])
    let frame = try Self.noisy(Size(width: 100, height: 200), .full, metadata: metadata)
    let bytes = try Self.bytes(of: frame, pixels: 1)
    let reader = try LoneReader(bytes)
    #expect(reader.restarts.count == 24)
    #expect(
      reader.markers == [
        0xE0, 0xE1, 0xE1, 0xED, 0xE2, 0xE2, 0xE2, 0xDB, 0xDB, 0xC0, 0xC4, 0xC4, 0xC4, 0xC4, 0xDD, 0xDA,
      ])
    let back = try decode(bytes, name: "back").metadata
    #expect(back.iccProfile == profile && back.exif == metadata.exif)
    #expect(back.xmp == metadata.xmp && back.iptc == metadata.iptc)
  }

  /// A file's bytes in memory that `free` takes.
  private func stream(_ bytes: [UInt8]) -> JPEGStream {
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    start.initialize(from: bytes, count: bytes.count)
    return JPEGStream(taking: start, count: bytes.count)
  }

  @Test(.enabled(if: Tool.has("jpegtran"), "needs libjpeg-turbo-progs"))
  func bandsThatDoNotFitAreNotJoined() throws {
    let folder = try TemporaryFolder()
    let frame = try Self.noisy(Size(width: 64, height: 32), .full)
    let band = try Self.bytes(of: frame, pixels: 1 << 30)
    func joined(with other: [UInt8]) -> [UInt8]? {
      JPEGStream.joining([stream(band), stream(other)], height: 64, restartInterval: 32)
    }
    #expect(try decode(try #require(joined(with: band)), name: "x").size == Size(width: 64, height: 64))
    #expect(joined(with: try Self.bytes(of: frame, pixels: 1 << 30, quality: 94)) == nil)
    #expect(joined(with: Array(band.dropLast())) == nil)
    #expect(joined(with: Array(band.prefix(100))) == nil)
    let path = try folder.write(band, to: "band.jpg")
    for option in ["-optimize", "-progressive", "-arithmetic", "-grayscale"] {
      let other = try Tool("jpegtran")(option, path)
      #expect(joined(with: other) == nil)
    }
    let restarting = stream(try Tool("jpegtran")("-restart", "1", path))
    #expect(JPEGStream.joining([restarting, restarting], height: 64, restartInterval: 32) == nil)
    let progressive = stream(try Tool("jpegtran")("-progressive", path))
    #expect(JPEGStream.joining([progressive, progressive], height: 64, restartInterval: 32) == nil)
  }

  @Test(arguments: [1, 17, 4032, 65_500], [1, 16, 3024, 65_500])
  func bandsCoverThePicture(_ width: Int, _ height: Int) {
    for unit in [Size(width: 8, height: 8), Size(width: 16, height: 16), Size(width: 32, height: 8)] {
      for pixels in [1, JPEGBands.pixels, 1 << 30] {
        let bands = JPEGBands(size: Size(width: width, height: height), unit: unit, pixels: pixels)
        #expect((0..<bands.count).flatMap { bands[$0] } == Array(0..<height))
        #expect((0..<bands.count - 1).allSatisfy { bands[$0].count == bands.height })
        #expect(bands.height % unit.height == 0)
        #expect(bands.count == 1 || bands.restartInterval <= 65_535)
      }
    }
  }
}

/// A reader that knows no more of JPEG than ITU-T T.81's annex B.
private struct LoneReader {
  /// Of the segments up to the scan.
  private(set) var markers: [UInt8] = []
  private(set) var size = Size(width: 0, height: 0)
  private(set) var unit = Size(width: 8, height: 8)
  private(set) var restartInterval: Int?
  /// The numbers of the restart markers, in order.
  private(set) var restarts: [Int] = []

  var unitsInRow: Int { (size.width + unit.width - 1) / unit.width }

  /// - Throws: `ToolError` for anything but one frame of one scan.
  init(_ bytes: [UInt8]) throws {
    func integer(_ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }
    guard integer(0) == 0xFFD8, integer(bytes.count - 2) == 0xFFD9 else { throw ToolError(message: "no SOI or EOI") }
    var position = 2
    while markers.last != 0xDA {
      guard bytes[position] == 0xFF else { throw ToolError(message: "no marker at \(position)") }
      markers.append(bytes[position + 1])
      if markers.last == 0xC0 {
        size = Size(width: integer(position + 7), height: integer(position + 5))
        // The scan of a single component is not interleaved: its MCU is a block.
        if bytes[position + 9] > 1 {
          let factors = (0..<Int(bytes[position + 9])).map { bytes[position + 11 + 3 * $0] }
          unit = Size(width: 8 * Int(factors.map { $0 >> 4 }.max()!), height: 8 * Int(factors.map { $0 & 15 }.max()!))
        }
      }
      if markers.last == 0xDD { restartInterval = integer(position + 4) }
      position += 2 + integer(position + 2)
    }
    while position < bytes.count - 2 {
      if bytes[position] == 0xFF, bytes[position + 1] != 0 {
        guard (0xD0...0xD7).contains(bytes[position + 1]) else { throw ToolError(message: "a marker in the scan") }
        restarts.append(Int(bytes[position + 1]) - 0xD0)
      }
      position += bytes[position] == 0xFF ? 2 : 1
    }
    guard position == bytes.count - 2 else { throw ToolError(message: "the scan's end is torn") }
  }
}
