import CJXL
import Frames

/// JPEG XL with 8 or 16 bits, R, G, B or grey, by libjxl; without loss at quality 100.
struct JPEGXLEncoder {
  let options: EncodeOptions

  func encode(_ frame: Frame, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    guard isJXLThere else { throw failure("libjxl is missing") }
    let bits = options.bits(of: frame)
    let encoding: PixelEncoding = frame.encoding.planeCount == 1 ? .grey(.full) : .rgb
    let ready = try frame.prepared(for: PixelLayout(encoding: encoding, bits: bits))
    let workers = Self.workers(threads: options.threads)
    // Workers may leave before the runner that they belong to, never after it.
    guard let runner = jxl.JxlThreadParallelRunnerCreate(nil, workers) else { throw failure("out of memory") }
    defer { jxl.JxlThreadParallelRunnerDestroy(runner) }
    guard let encoder = jxl.JxlEncoderCreate(nil) else { throw failure("out of memory") }
    defer { jxl.JxlEncoderDestroy(encoder) }
    try require(jxl.JxlEncoderSetParallelRunner(encoder, jxl.JxlThreadParallelRunner, runner), "no threads")
    let hasBoxes = metadata.exif != nil || metadata.xmp != nil
    if hasBoxes { try require(jxl.JxlEncoderUseBoxes(encoder), "no boxes") }
    try describe(ready, metadata.iccProfile, encoder)
    if hasBoxes { try addBoxes(metadata, encoder) }
    try addPicture(ready.planes, encoder)
    jxl.JxlEncoderCloseInput(encoder)
    return try finish(encoder)
  }

  /// Threads beside the caller's, which waits for them: none when the caller works alone.
  static func workers(threads: Int) -> Int { threads > 1 ? threads : 0 }

  private var isLossless: Bool { options.quality >= 100 }

  /// The Butteraugli distance that `cjxl` takes for a quality.
  private var distance: Float {
    let quality = Float(options.quality)
    return quality >= 30
      ? 0.1 + (100 - quality) * 0.09 : 53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25
  }

  private func describe(_ frame: Frame, _ profile: [UInt8]?, _ encoder: OpaquePointer) throws(CodecError) {
    let isGrey = frame.encoding.planeCount == 1
    var info = JxlBasicInfo()
    jxl.JxlEncoderInitBasicInfo(&info)
    (info.xsize, info.ysize) = (UInt32(frame.size.width), UInt32(frame.size.height))
    info.bits_per_sample = UInt32(frame.bits)
    info.num_color_channels = UInt32(frame.planes.count)
    info.uses_original_profile = isLossless ? JXL_TRUE : JXL_FALSE
    try require(jxl.JxlEncoderSetBasicInfo(encoder, &info), "the header was refused")
    // libjxl reads the profile and refuses what it cannot understand; others just carry it along.
    if let profile, !profile.isEmpty, ColourProfile(profile, isGrey: isGrey) != nil {
      try require(jxl.JxlEncoderSetICCProfile(encoder, profile, profile.count), "the colour profile was refused")
    } else {
      var colours = JxlColorEncoding()
      jxl.JxlColorEncodingSetToSRGB(&colours, isGrey ? JXL_TRUE : JXL_FALSE)
      try require(jxl.JxlEncoderSetColorEncoding(encoder, &colours), "the colour space was refused")
    }
  }

  private func addBoxes(_ metadata: Metadata, _ encoder: OpaquePointer) throws(CodecError) {
    func add(_ type: String, _ contents: [UInt8]) throws(CodecError) {
      try require(jxl.JxlEncoderAddBox(encoder, type, contents, contents.count, JXL_FALSE), "a box was refused")
    }
    // The offset of the TIFF header, from its own end, comes first.
    if let exif = metadata.exif { try add("Exif", [0, 0, 0, 0] + exif) }
    if let xmp = metadata.xmp { try add("xml ", xmp) }
    jxl.JxlEncoderCloseBoxes(encoder)
  }

  private func addPicture(_ planes: [Plane], _ encoder: OpaquePointer) throws(CodecError) {
    let settings = jxl.JxlEncoderFrameSettingsCreate(encoder, nil)
    // Effort 7, the default, takes three times as long for 2 % of the bytes.
    try require(
      jxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 5), "the effort was refused")
    if isLossless {
      try require(jxl.JxlEncoderSetFrameLossless(settings, JXL_TRUE), "lossless coding was refused")
    } else {
      try require(jxl.JxlEncoderSetFrameDistance(settings, distance), "the quality was refused")
    }
    let pixels = UnsafeMutableRawBufferPointer.allocate(
      byteCount: planes[0].width * planes[0].height * planes.count * (planes[0].bits / 8), alignment: 16)
    defer { pixels.deallocate() }
    planes.interleave(rows: 0..<planes[0].height, into: pixels)
    var format = JxlPixelFormat(
      num_channels: UInt32(planes.count), data_type: planes[0].bits > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
      endianness: JXL_NATIVE_ENDIAN, align: 0)
    try require(
      jxl.JxlEncoderAddImageFrame(settings, &format, pixels.baseAddress, pixels.count), "the picture was refused")
  }

  private func finish(_ encoder: OpaquePointer) throws(CodecError) -> [UInt8] {
    var file = [UInt8](repeating: 0, count: 1 << 20)
    var used = 0
    while true {
      let status = file.withUnsafeMutableBufferPointer { buffer in
        var next = buffer.baseAddress.map { $0 + used }
        var left = buffer.count - used
        defer { used = buffer.count - left }
        return jxl.JxlEncoderProcessOutput(encoder, &next, &left)
      }
      if status == JXL_ENC_SUCCESS { return Array(file[..<used]) }
      guard status == JXL_ENC_NEED_MORE_OUTPUT else { throw failure("the encoder failed") }
      file += repeatElement(0, count: file.count)
    }
  }

  private func require(_ status: JxlEncoderStatus, _ what: String) throws(CodecError) {
    guard status == JXL_ENC_SUCCESS else { throw failure(what) }
  }

  private func failure(_ what: String) -> CodecError { .encodingFailed(format: .jpegXL, detail: what) }
}
