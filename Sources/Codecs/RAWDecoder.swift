import CShimLibraries
import Frames

/// The gains that turn a sensor's red, green, blue and second green into neutral greys.
///
/// One set must serve a whole burst: cameras choose anew for every shot, and the colours of a plate would flicker
/// from frame to frame.
public struct RAWWhiteBalance: Sendable, Hashable {
  public var red: Float
  public var green: Float
  public var blue: Float
  public var secondGreen: Float

  public init(red: Float, green: Float, blue: Float, secondGreen: Float) {
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
public func rawWhiteBalance(
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
  private let info: cs_picture_info

  init(_ source: Source) throws(CodecError) {
    self.source = source
    var raw: OpaquePointer?
    try source.check(cs_raw_open(source.shimBytes, &raw))
    self.raw = raw!
    info = cs_raw_info(raw)
    try source.checkLimits(info.size)
  }

  deinit { cs_raw_free(raw) }

  var cameraWhiteBalance: RAWWhiteBalance {
    var gains: [Float] = [1, 1, 1, 1]
    cs_raw_white_balance(raw, &gains)
    return RAWWhiteBalance(red: gains[0], green: gains[1], blue: gains[2], secondGreen: gains[3])
  }

  func header() -> PictureHeader { source.header(.raw, info) }

  func decode() throws(CodecError) -> Frame {
    let balance = source.options.rawWhiteBalance ?? cameraWhiteBalance
    let gains = [balance.red, balance.green, balance.blue, balance.secondGreen]
    let (planes, encoding) = try source.frame(info) { cs_raw_read(raw, gains, $0, $1) }
    var metadata = MetadataEditor.read(source)
    metadata.storedOrientation = header().orientation
    return Frame(planes: planes, encoding: encoding, name: source.name, metadata: metadata)
  }
}
