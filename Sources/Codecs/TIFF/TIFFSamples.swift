import CTIFF
import Frames

/// A picture's samples on their way from libtiff into planes of its size and depth.
struct TIFFSamples {
  let source: Source
  let file: TIFFFile
  let picture: TIFFPicture
  let planes: [PlaneBuilder]
  /// Whether something was transparent.
  private(set) var isTransparent = false

  /// Where a damaged file is accepted, what cannot be read stays black.
  mutating func read() throws(CodecError) {
    let layout = file.number(TIFFTAG_PLANARCONFIG, defaulted: true, as: UInt16.self) ?? UInt16(PLANARCONFIG_CONTIG)
    let isSeparate = layout == PLANARCONFIG_SEPARATE && picture.samples > 1
    try file.decoding { () throws(CodecError) in
      if picture.isConverted {
        try readConverted()
      } else if TIFFIsTiled(file.handle) != 0 {
        try readTiles(isSeparate)
      } else {
        try readStrips(isSeparate)
      }
    }
  }

  private mutating func readStrips(_ isSeparate: Bool) throws(CodecError) {
    let length = Int(TIFFScanlineSize(file.handle))
    guard length >= rowBytes(picture.size.width, isSeparate) else {
      throw source.damaged("rows are shorter than the picture is wide")
    }
    let row = try source.scratch(byteCount: length)
    for pass in passes(isSeparate) {
      for y in 0..<picture.size.height {
        if TIFFReadScanline(file.handle, row.base, UInt32(y), UInt16(pass)) != 1 { try lose(row) }
        split(row.base, count: picture.size.width, x: 0, y: y, pass: isSeparate ? pass : nil)
      }
    }
  }

  private mutating func readTiles(_ isSeparate: Bool) throws(CodecError) {
    let width = file.number(TIFFTAG_TILEWIDTH, as: UInt32.self).map(Int.init) ?? 0
    let height = file.number(TIFFTAG_TILELENGTH, as: UInt32.self).map(Int.init) ?? 0
    let (length, rowLength) = (Int(TIFFTileSize(file.handle)), Int(TIFFTileRowSize(file.handle)))
    guard width > 0, height > 0, length > 0, rowLength > 0 else { throw source.damaged("tiles without a size") }
    guard length <= 1 << 28 else { throw source.unsupported("tiles of more than 256 MB") }
    guard rowLength >= rowBytes(width, isSeparate), length / rowLength >= height else {
      throw source.damaged("tiles are smaller than they claim")
    }
    let tile = try source.scratch(byteCount: length)
    for pass in passes(isSeparate) {
      for top in stride(from: 0, to: picture.size.height, by: height) {
        for left in stride(from: 0, to: picture.size.width, by: width) {
          if TIFFReadTile(file.handle, tile.base, UInt32(left), UInt32(top), 0, UInt16(pass)) < 0 { try lose(tile) }
          let columns = min(width, picture.size.width - left)
          for y in 0..<min(height, picture.size.height - top) {
            split(tile.base + y * rowLength, count: columns, x: left, y: top + y, pass: isSeparate ? pass : nil)
          }
        }
      }
    }
  }

  private func readConverted() throws(CodecError) {
    let (width, height) = (picture.size.width, picture.size.height)
    var image = TIFFRGBAImage()
    var message = [CChar](repeating: 0, count: 1024)
    guard TIFFRGBAImageBegin(&image, file.handle, source.options.acceptsDamaged ? 0 : 1, &message) == 1 else {
      throw source.unsupported(message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
    defer { TIFFRGBAImageEnd(&image) }
    // As stored: whoever asked turns the picture.
    image.req_orientation = image.orientation
    let raster = try source.scratch(byteCount: width * height * 4)
    let pixels = raster.base.bindMemory(to: UInt32.self, capacity: width * height)
    if TIFFRGBAImageGet(&image, pixels, UInt32(width), UInt32(height)) != 1, !source.options.acceptsDamaged {
      throw file.damaged(Self.broken)
    }
    for y in 0..<height {
      for (channel, plane) in planes.enumerated() {
        plane.take(channel, of: 4, from: raster.base + 4 * width * y, count: width, x: 0, y: y)
      }
    }
  }

  private static let broken = "the picture's data are broken"

  /// Fails, or leaves what could not be read black.
  private func lose(_ samples: PlaneBuilder) throws(CodecError) {
    guard source.options.acceptsDamaged else { throw file.damaged(Self.broken) }
    samples.clear()
  }

  /// The channels that are read one after another, alpha last; one pass for all where the file keeps them together.
  private func passes(_ isSeparate: Bool) -> [Int] {
    isSeparate ? Array(0..<picture.channels) + [picture.alpha].compactMap(\.self) : [0]
  }

  /// Bytes that `width` pixels take at least.
  private func rowBytes(_ width: Int, _ isSeparate: Bool) -> Int {
    width * (picture.bits / 8) * (isSeparate ? 1 : picture.samples)
  }

  /// Puts a part of a row into the planes, or into one where the file keeps channels apart.
  private mutating func split(_ samples: UnsafeMutableRawPointer, count: Int, x: Int, y: Int, pass: Int?) {
    let inverted = picture.isInverted
    func look(at alpha: Int, of channels: Int) {
      guard !isTransparent else { return }
      isTransparent = Codecs.isTransparent(alpha: alpha, of: channels, in: samples, count: count, bits: picture.bits)
    }
    if let pass, pass == picture.alpha {
      look(at: 0, of: 1)
    } else if let pass {
      planes[pass].take(0, of: 1, from: samples, count: count, x: x, y: y, inverted: inverted)
    } else {
      if let alpha = picture.alpha { look(at: alpha, of: picture.samples) }
      for (channel, plane) in planes.enumerated() {
        plane.take(channel, of: picture.samples, from: samples, count: count, x: x, y: y, inverted: inverted)
      }
    }
  }
}
