import CWebP
package import Frames

/// The frames of an animated WebP by libwebp, each as it is shown: R, G, B with 8 bits, alpha dropped.
///
/// Writers store only what changes from frame to frame, so planes of their own are nothing that frames have.
package final class WebPAnimation: FrameSource {
  /// Frames a second, on average.
  package let rate: Double
  /// How many frames there are.
  package let expectedCount: Int?

  private let file: UnsafeMutableBufferPointer<UInt8>
  private let name: String
  private let options: DecodeOptions
  private let decoder: OpaquePointer
  private let size: Size
  private let metadata: Metadata
  private var count = 0
  /// When the next frame begins, in milliseconds.
  private var time = 0

  /// - Throws: `CodecError`.
  package init(_ bytes: [UInt8], name: String, options: DecodeOptions = DecodeOptions()) throws(CodecError) {
    // libwebp reads the file until the last frame is decoded.
    let file = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = file.initialize(from: bytes)
    var opened: OpaquePointer?
    do {
      let source = Source(bytes: UnsafeBufferPointer(file), name: name, options: options)
      let (decoder, information) = try Self.open(source)
      opened = decoder
      size = Size(width: Int(information.canvas_width), height: Int(information.canvas_height))
      metadata = try source.webPMetadata(WebPAnimDecoderGetDemuxer(decoder))
      rate = Self.rate(WebPAnimDecoderGetDemuxer(decoder), frames: Int(information.frame_count))
      expectedCount = Int(information.frame_count)
      self.decoder = decoder
    } catch {
      if let opened { WebPAnimDecoderDelete(opened) }
      file.deallocate()
      throw error
    }
    (self.file, self.name, self.options) = (file, name, options)
  }

  deinit {
    WebPAnimDecoderDelete(decoder)
    file.deallocate()
  }

  /// The next frame, named after the file and its time, upright; nil after the last.
  /// - Throws: `CodecError.damaged` when a frame cannot be decoded.
  package func next() throws(CodecError) -> Frame? {
    guard WebPAnimDecoderHasMoreFrames(decoder) != 0 else { return nil }
    let source = Source(bytes: UnsafeBufferPointer(file), name: name, options: options)
    var canvas: UnsafeMutablePointer<UInt8>?
    var end = Int32(0)
    guard WebPAnimDecoderGetNext(decoder, &canvas, &end) != 0, let canvas else {
      guard options.acceptsDamaged else { throw source.damaged("frame \(count) is broken") }
      return nil
    }
    let stride = 4 * size.width
    let planes = try source.deinterleave(size: size, channels: 4, taking: 3, bits: 8) { y in
      UnsafeRawPointer(canvas + y * stride)
    }
    let frame = Frame(
      planes: planes, encoding: .rgb, name: "\(name) at \(Y4MReader.time(Double(time) / 1000))", metadata: metadata)
    (count, time) = (count + 1, Int(end))
    do {
      return try frame.oriented(metadata.storedOrientation, budget: options.budget)
    } catch {
      throw .allocation(name: name, error)
    }
  }

  /// Whether a WebP file says that it is animated (RFC 9649, 2.7): a bit of the extended header.
  static func isAnimated(_ file: UnsafeBufferPointer<UInt8>) -> Bool {
    file.count > 20 && file[12..<16].elementsEqual("VP8X".utf8) && file[20] & 2 != 0
  }

  private static func open(_ source: Source) throws(CodecError) -> (OpaquePointer, WebPAnimInfo) {
    var features = WebPBitstreamFeatures()
    guard WebPGetFeatures(source.bytes.baseAddress, source.bytes.count, &features) == VP8_STATUS_OK else {
      throw source.damaged("the header is broken")
    }
    // The decoder allocates canvases at once.
    try source.checkLimits(Size(width: Int(features.width), height: Int(features.height)))
    var data = WebPData(bytes: source.bytes.baseAddress, size: source.bytes.count)
    var options = WebPAnimDecoderOptions()
    WebPAnimDecoderOptionsInit(&options)
    options.color_mode = MODE_RGBA
    var information = WebPAnimInfo()
    guard let decoder = WebPAnimDecoderNewInternal(&data, &options, WEBP_DEMUX_ABI_VERSION) else {
      throw source.damaged("the container is broken or ends early")
    }
    guard WebPAnimDecoderGetInfo(decoder, &information) != 0 else {
      WebPAnimDecoderDelete(decoder)
      throw source.damaged("the container is broken")
    }
    return (decoder, information)
  }

  /// Frames per second on average.
  private static func rate(_ demuxer: OpaquePointer?, frames: Int) -> Double {
    var iterator = WebPIterator()
    guard WebPDemuxGetFrame(demuxer, 1, &iterator) != 0 else { return 0 }
    defer { WebPDemuxReleaseIterator(&iterator) }
    var milliseconds = 0
    repeat { milliseconds += Int(iterator.duration) } while WebPDemuxNextFrame(&iterator) != 0
    return milliseconds > 0 ? 1000 * Double(frames) / Double(milliseconds) : 0
  }
}
