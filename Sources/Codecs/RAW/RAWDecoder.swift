import CShimLibraries
import Frames
import ShimSupport

/// The gains that turn a sensor's red, green, blue and second green into neutral greys.
///
/// One set must serve a whole burst: cameras choose anew for every shot, and the colours of a plate would flicker
/// from frame to frame.
package struct RAWWhiteBalance: Sendable, Hashable {
  /// Of the sensor's red; gains are positive, and only their ratios count.
  package var red: Float
  /// Of its green.
  package var green: Float
  /// Of its blue.
  package var blue: Float
  /// Of the green in blue's rows.
  package var secondGreen: Float

  /// One gain for each of the mosaic's four places.
  package init(red: Float, green: Float, blue: Float, secondGreen: Float) {
    self.red = red
    self.green = green
    self.blue = blue
    self.secondGreen = secondGreen
  }
}

/// The white balance that a RAW file's camera chose: take the reference's and hand it to `DecodeOptions` for every
/// frame of its burst.
/// - Returns: nil when the file is no RAW.
/// - Throws: `CodecError`.
package func rawWhiteBalance(
  of bytes: [UInt8], name: String, options: DecodeOptions = DecodeOptions()
) throws(CodecError) -> RAWWhiteBalance? {
  guard try readHeader(bytes, name: name, options: options).format == .raw else { return nil }
  return try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) in
    try RAWDecoder(Source(bytes: buffer, name: name, options: options)).cameraWhiteBalance
  }
}

/// Cameras' RAW files by LibRaw (`CShim/Libraries/raw.cpp`), developed to sRGB with 16 bits: no automatic brightness,
/// the sensor's white level as white, so that frames of a burst stay comparable.
final class RAWDecoder {
  private let source: Source
  private let raw: OpaquePointer
  private let info: cs_raw_info

  init(_ source: Source) throws(CodecError) {
    self.source = source
    var raw: OpaquePointer?
    try Self.check(cs_raw_open(source.shimBytes, &raw), source)
    self.raw = raw!
    info = cs_raw_header(raw)
    try source.checkLimits(size)
  }

  deinit { cs_raw_free(raw) }

  var cameraWhiteBalance: RAWWhiteBalance {
    var gains: [Float] = [1, 1, 1, 1]
    cs_raw_white_balance(raw, &gains)
    return RAWWhiteBalance(red: gains[0], green: gains[1], blue: gains[2], secondGreen: gains[3])
  }

  private var size: Size { Size(width: Int(info.width), height: Int(info.height)) }

  func header() -> PictureHeader {
    PictureHeader(
      format: .raw, storedSize: size, bits: 16, orientation: Orientation(rawValue: Int(info.orientation)) ?? .up)
  }

  func decode() throws(CodecError) -> Frame {
    let balance = source.options.rawWhiteBalance ?? cameraWhiteBalance
    let gains = [balance.red, balance.green, balance.blue, balance.secondGreen]
    let channels = Int(info.channels)
    let rowBytes = 2 * channels * size.width
    let pixels = try source.scratch(byteCount: rowBytes * size.height)
    try Self.check(
      cs_raw_read(
        raw, gains, source.options.acceptsDamaged ? 1 : 0,
        pixels.base.bindMemory(to: UInt16.self, capacity: channels * size.area)), source)
    let planes = try source.deinterleave(size: size, channels: channels, taking: channels, bits: 16) { y in
      UnsafeRawPointer(pixels.base + rowBytes * y)
    }
    var metadata = MetadataEditor.read(source)
    metadata.storedOrientation = header().orientation
    return Frame(
      planes: planes, encoding: channels == 1 ? .grey(.full) : .rgb, name: source.name, metadata: metadata)
  }

  private static func check(_ status: cs_status, _ source: Source) throws(CodecError) {
    do {
      try ShimSupport.check(status)
    } catch {
      switch error.kind {
      case .outOfMemory: throw .allocation(name: source.name, .outOfMemory(bytes: 0))
      case .unsupported: throw source.unsupported(error.message)
      default: throw source.damaged(error.message)
      }
    }
  }
}
