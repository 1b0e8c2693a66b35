import Codecs
import Frames

#if canImport(Glibc)
  import Glibc
#endif

/// What libFuzzer calls with every input: whatever the bytes are, reading them ends in a value or an error.
///
/// The environment variable `FUZZ_TARGET` names the reader: an `ImageFormat`; `y4m`; `metadata`, which writes the
/// decoded frame again and so takes its metadata through Exiv2; `mask`; `report`; `probe` for what `ffprobe` writes; `motion` for
/// photos' videos;
/// `network` for a detector's two files, which nobody named, `darknet` for named ones, `graph` for the network
/// that a frozen graph describes, and `lite` for that of a model of TensorFlow Lite. Pictures of other formats are passed over.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  switch target {
  case "y4m": readVideo(bytes)
  case "metadata": rewrite(bytes)
  case "mask": readMask(bytes)
  case "report": readReport(bytes)
  case "probe": readProbe(bytes)
  case "motion": findMotionVideo(bytes)
  case "network": readUnaskedNetwork(bytes)
  case "darknet": readNamedNetwork(bytes)
  case "graph": readGraph(bytes)
  case "lite": readLiteModel(bytes)
  default:
    guard let format = ImageFormat.sniff(bytes), format.rawValue == target || isTIFFLike(format) else { return 0 }
    readPicture(bytes)
  }
  return 0
}

private let target = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? "jpeg"

/// Small, so that inputs per second stay many and memory bounded.
let limits = DecodeLimits(
  maximumDimension: 4096, maximumPixels: 1 << 20, maximumPictures: 4, maximumMetadataBytes: 1 << 20)

/// RAW files are TIFF files to the first look.
private func isTIFFLike(_ format: ImageFormat) -> Bool { target == "raw" && format == .tiff }

private func readPicture(_ bytes: [UInt8]) {
  for acceptsDamaged in [false, true] {
    let options = DecodeOptions(limits: limits, acceptsDamaged: acceptsDamaged)
    _ = try? readHeader(bytes, name: "fuzz", options: options)
    if let metadata = try? readMetadata(bytes, name: "fuzz", options: options) {
      _ = (metadata.capture, metadata.isPlate)
    }
    guard let frame = try? decode(bytes, name: "fuzz", options: options) else { continue }
    check(frame)
    readSeries(bytes, options)
  }
}

private func readSeries(_ bytes: [UInt8], _ options: DecodeOptions) {
  switch try? PictureSeries.find(in: bytes, name: "fuzz", options: options) {
  case .pictures(let count):
    for picture in 0..<count {
      if let frame = try? decode(bytes, name: "fuzz", picture: picture, options: options) { check(frame) }
    }
  case .animation:
    guard let animation = try? WebPAnimation(bytes, name: "fuzz", options: options) else { return }
    for _ in 0..<limits.maximumPictures {
      guard let frame = try? animation.next() else { return }
      check(frame)
    }
  case .track, nil: return
  }
}

/// Every sample must be within its depth and readable.
private func check(_ frame: Frame) {
  for plane in frame.planes {
    for y in 0..<plane.height {
      for x in stride(from: 0, to: plane.width, by: 3) { precondition(plane[x, y] <= plane.maximum) }
    }
  }
}

/// The bytes as Exif, XMP, IPTC and ICC profile of a small picture.
private func rewrite(_ bytes: [UInt8]) {
  guard let plane = try? Plane(width: 2, height: 2, value: { _, _ in 128 }) else { return }
  let metadata = Metadata(iccProfile: bytes, exif: bytes, xmp: bytes, iptc: bytes)
  let frame = Frame(planes: [plane, plane, plane], encoding: .rgb, name: "fuzz", metadata: metadata)
  let plain = Frame(planes: [plane, plane, plane], encoding: .rgb, name: "plain")
  _ = try? convert(frame, toProfileOf: plain)
  for format in [ImageFormat.jpeg, .tiff] {
    let options = EncodeOptions(format: format, history: "fuzz")
    if let file = try? encode(frame, options: options) { _ = try? decode(file, name: "fuzz") }
  }
}

private func readVideo(_ bytes: [UInt8]) {
  var ends: [CInt] = [0, 0]
  // A pipe holds 64 KiB without a reader.
  guard bytes.count <= 60_000, pipe(&ends) == 0 else { return }
  _ = write(ends[1], bytes, bytes.count)
  close(ends[1])
  defer { close(ends[0]) }
  guard
    let reader = try? Y4MReader(descriptor: ends[0], name: "fuzz", options: DecodeOptions(limits: limits))
  else { return }
  while let frame = try? reader.next() { check(frame) }
}
