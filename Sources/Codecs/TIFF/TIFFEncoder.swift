import CTIFF
import Frames

/// TIFF with 8 or 16 bits, R, G, B or grey, with or without alpha, deflated with a horizontal predictor; Exiv2 puts the
/// metadata into its directories.
struct TIFFEncoder {
  let options: EncodeOptions

  func encode(_ frame: Frame, _ alpha: Plane?, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    let bits = options.bits(of: frame)
    let encoding: PixelEncoding = frame.encoding.planeCount == 1 ? .grey(.full) : .rgb
    let ready = try frame.prepared(for: PixelLayout(encoding: encoding, bits: bits), alpha: alpha)
    let file = try write(ready, metadata.iccProfile)
    guard metadata.exif != nil || metadata.xmp != nil || metadata.iptc != nil else { return file }
    // Exiv2 reads no files past 4 GB: better a plate without its metadata than none.
    return (try? MetadataEditor.write(metadata, intoTIFF: file)) ?? file
  }

  /// - Parameter planes: one to four of 8 or 16 bits; where their number is even, the last is alpha, by which the others
  ///   are not multiplied.
  private func write(_ planes: [Plane], _ profile: [UInt8]?) throws(CodecError) -> [UInt8] {
    let memory = TIFFMemory()
    func failure(_ otherwise: String) -> CodecError {
      .encodingFailed(format: .tiff, detail: memory.complaint ?? otherwise)
    }
    let rowBytes = planes[0].width * planes.count * (planes[0].bits / 8)
    // Past 4 GB the offsets of a classic TIFF run out.
    let isBig = rowBytes * planes[0].height > 0xF000_0000
    guard let file = memory.open(isBig ? "w8" : "w") else { throw failure("no memory") }
    do {
      // What libtiff holds back comes when the file is closed.
      defer { TIFFClose(file) }
      let rowsPerStrip = min(max((1 << 18) / rowBytes, 1), planes[0].height)
      describe(planes, profile, rowsPerStrip, in: file)
      guard writeStrips(planes, rowsPerStrip, in: file) else { throw failure("a strip could not be written") }
      guard TIFFFlush(file) == 1 else { throw failure("the directory could not be written") }
    }
    return memory.output
  }

  private func describe(_ planes: [Plane], _ profile: [UInt8]?, _ rowsPerStrip: Int, in file: OpaquePointer) {
    func set(_ tag: Int32, _ value: Int) { TIFFFile.set(tag, Int32(value), in: file) }
    set(TIFFTAG_IMAGEWIDTH, planes[0].width)
    set(TIFFTAG_IMAGELENGTH, planes[0].height)
    set(TIFFTAG_BITSPERSAMPLE, planes[0].bits)
    set(TIFFTAG_SAMPLESPERPIXEL, planes.count)
    set(TIFFTAG_PHOTOMETRIC, Int(planes.count >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK))
    if planes.count % 2 == 0 {
      var alpha = UInt16(EXTRASAMPLE_UNASSALPHA)
      withUnsafeMutablePointer(to: &alpha) { _ = TIFFFile.set(TIFFTAG_EXTRASAMPLES, Int32(1), $0, in: file) }
    }
    set(TIFFTAG_PLANARCONFIG, Int(PLANARCONFIG_CONTIG))
    set(TIFFTAG_ORIENTATION, Int(ORIENTATION_TOPLEFT))
    set(TIFFTAG_COMPRESSION, Int(COMPRESSION_ADOBE_DEFLATE))
    set(TIFFTAG_PREDICTOR, Int(PREDICTOR_HORIZONTAL))
    set(TIFFTAG_ROWSPERSTRIP, rowsPerStrip)
    guard let profile, !profile.isEmpty else { return }
    // libtiff takes a copy.
    profile.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      TIFFFile.set(TIFFTAG_ICCPROFILE, UInt32(bytes.count), start, in: file)
    }
  }

  private func writeStrips(_ planes: [Plane], _ rowsPerStrip: Int, in file: OpaquePointer) -> Bool {
    let height = planes[0].height
    let rowBytes = planes[0].width * planes.count * (planes[0].bits / 8)
    let strip = UnsafeMutableRawBufferPointer.allocate(byteCount: rowBytes * rowsPerStrip, alignment: 16)
    defer { strip.deallocate() }
    for (index, top) in stride(from: 0, to: height, by: rowsPerStrip).enumerated() {
      let rows = min(rowsPerStrip, height - top)
      planes.interleave(rows: top..<top + rows, into: strip)
      if TIFFWriteEncodedStrip(file, UInt32(index), strip.baseAddress, tmsize_t(rowBytes * rows)) < 0 { return false }
    }
    return true
  }
}
