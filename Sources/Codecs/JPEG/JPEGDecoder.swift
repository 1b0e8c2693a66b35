import CTurboJPEG
import Frames

/// JPEG straight to its own planes: no colour conversion and no chroma resampling
/// (`tjDecompressToYUVPlanes`).
struct JPEGDecoder {
  private let source: Source
  private let markers: JPEGMarkers

  init(_ source: Source) throws(CodecError) {
    self.source = source
    markers = try JPEGMarkers(source)
    guard markers.componentCount != 4 else { throw source.unsupported("CMYK colours") }
    guard [0, 1, 2, 9, 10].contains(markers.process) else { throw source.unsupported("lossless or hierarchical JPEG") }
    guard markers.precision == 8 else { throw source.unsupported("JPEG with \(markers.precision) bits a sample") }
    guard [1, 3].contains(markers.componentCount) else {
      throw source.unsupported("JPEG with \(markers.componentCount) components")
    }
    guard markers.size.height > 0 else { throw source.unsupported("JPEG whose height stands after its first scan") }
    try source.checkLimits(markers.size)
  }

  func header() throws(CodecError) -> PictureHeader {
    PictureHeader(format: .jpeg, storedSize: markers.size, bits: 8, orientation: orientation)
  }

  func decode() throws(CodecError) -> Frame {
    let metadata = try metadata()
    guard let handle = tjInitDecompress() else { throw .allocation(name: source.name, .outOfMemory(bytes: 0)) }
    defer { tjDestroy(handle) }
    let (subsampling, isRGB) = try readSubsampling(handle)
    if let subsampling { return try decodePlanes(handle, subsampling, isRGB: isRGB, metadata) }
    return try decodeInterleaved(handle, metadata)
  }

  /// TurboJPEG's name for the sampling factors, nil when it has none for them; and whether the components
  /// are R, G, B.
  private func readSubsampling(_ handle: tjhandle) throws(CodecError) -> (TJSAMP?, isRGB: Bool) {
    var (width, height, subsampling, space) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
    let code = tjDecompressHeader3(
      handle, source.bytes.baseAddress, UInt(source.bytes.count), &width, &height, &subsampling, &space)
    if code != 0 {
      // The one error of the header that leaves the size known: sampling factors without a name.
      guard width > 0, height > 0, subsampling < 0 else { throw source.damaged(message(handle)) }
    }
    guard Int(width) == markers.size.width, Int(height) == markers.size.height else {
      throw source.damaged("two frame headers disagree")
    }
    guard space != TJCS_CMYK.rawValue.signed, space != TJCS_YCCK.rawValue.signed else {
      throw source.unsupported("CMYK colours")
    }
    return (code == 0 ? TJSAMP(rawValue: UInt32(subsampling)) : nil, space == TJCS_RGB.rawValue.signed)
  }

  private func decodePlanes(
    _ handle: tjhandle, _ subsampling: TJSAMP, isRGB: Bool, _ metadata: Metadata
  ) throws(CodecError) -> Frame {
    guard let grid = subsampling.knownChromaGrid else {
      throw source.unsupported("JPEG with chroma subsampling number \(subsampling.rawValue)")
    }
    let isGrey = markers.componentCount == 1
    let grids: [PlaneGrid] = isGrey ? [.full] : [.full, grid, grid]
    // TurboJPEG writes planes padded to whole blocks of chroma: up to three rows more (columns fit the stride).
    let builders = try source.planeBuilders(grids.map { $0.planeSize(for: markers.size) }, bits: 8, paddingRows: 3)
    var planes: [UnsafeMutablePointer<UInt8>?] = builders.map { $0.base.assumingMemoryBound(to: UInt8.self) }
    var strides = builders.map { Int32($0.stride) }
    try run(handle) { flags in
      tjDecompressToYUVPlanes(
        handle, source.bytes.baseAddress, UInt(source.bytes.count), &planes, Int32(markers.size.width), &strides,
        Int32(markers.size.height), flags)
    }
    let encoding: PixelEncoding = isGrey ? .grey(.full) : isRGB ? .rgb : .yCbCr(.bt601, .full)
    return Frame(
      planes: builders.map { $0.finish() }, grids: grids, encoding: encoding, name: source.name, metadata: metadata)
  }

  /// The way for sampling factors that TurboJPEG has no name for: RGB, and chroma upsampled by libjpeg.
  private func decodeInterleaved(_ handle: tjhandle, _ metadata: Metadata) throws(CodecError) -> Frame {
    let (width, height) = (markers.size.width, markers.size.height)
    let whole = try source.planeBuilder(Size(width: 3 * width, height: height), bits: 8)
    try run(handle) { flags in
      tjDecompress2(
        handle, source.bytes.baseAddress, UInt(source.bytes.count), whole.base.assumingMemoryBound(to: UInt8.self),
        Int32(width),
        Int32(whole.stride), Int32(height), TJPF_RGB.rawValue, flags)
    }
    let planes = try source.deinterleave(size: markers.size, channels: 3, taking: 3, bits: 8) { y in
      UnsafeRawPointer(whole.base + y * whole.stride)
    }
    return Frame(planes: planes, encoding: .rgb, name: source.name, metadata: metadata)
  }

  /// The luma alone, reduced by the inverse transform itself (libjpeg's scaled decoding) to 1/2, 1/4 or 1/8.
  /// - Parameters:
  ///   - side: pixels that the longer side keeps at least.
  ///   - share: of the rows that are wanted, from the first on.
  /// - Returns: the rows, all of them where the file cannot be read in part; and the whole picture's size, reduced alike.
  func decodeLuma(side: Int, share: Double) throws(CodecError) -> (Frame, whole: Size) {
    let longest = max(markers.size.width, markers.size.height)
    let divisor = [8, 4, 2].first { longest / $0 >= side } ?? 1
    func reduced(_ height: Int) -> Size {
      Size(width: (markers.size.width + divisor - 1) / divisor, height: (height + divisor - 1) / divisor)
    }
    guard let handle = tjInitDecompress() else { throw .allocation(name: source.name, .outOfMemory(bytes: 0)) }
    defer { tjDestroy(handle) }
    let rows = firstRows(share)
    let size = reduced(rows ?? markers.size.height)
    let luma = try source.planeBuilder(size, bits: 8)
    func decompress(_ bytes: UnsafeBufferPointer<UInt8>, _ flags: Int32) -> Int32 {
      tjDecompress2(
        handle, bytes.baseAddress, UInt(bytes.count), luma.base.assumingMemoryBound(to: UInt8.self),
        Int32(size.width), Int32(luma.stride), Int32(size.height), TJPF_GRAY.rawValue, flags)
    }
    if let rows {
      // A picture that claims to be lower ends where its last row does; what follows is skipped with a warning.
      var bytes = Array(source.bytes)
      bytes[markers.heightPosition] = UInt8(rows >> 8)
      bytes[markers.heightPosition + 1] = UInt8(rows & 0xFF)
      let code = bytes.withUnsafeBufferPointer { decompress($0, TJFLAG_LIMITSCANS) }
      guard code == 0 || message(handle).contains(Self.extraneousBytes) else { throw source.damaged(message(handle)) }
    } else {
      try run(handle) { decompress(source.bytes, $0) }
    }
    let frame = Frame(
      planes: [luma.finish()], encoding: .grey(.full), name: source.name,
      metadata: Metadata(storedOrientation: orientation))
    return (frame, reduced(markers.size.height))
  }

  /// How many rows are a share of them, in whole rows of blocks of every subsampling; nil where the file is read as a whole:
  /// where later scans refine what earlier ones hold, and where it does not end as a whole file does.
  private func firstRows(_ share: Double) -> Int? {
    let rows = Int((Double(markers.size.height) * share / 32).rounded()) * 32
    let isSequential = markers.process < 2
    let endsWhole = source.bytes.suffix(2).elementsEqual([0xFF, 0xD9])
    return share < 1 && isSequential && endsWhole && rows >= 32 && rows < markers.size.height ? rows : nil
  }

  /// In libjpeg's words.
  private static let extraneousBytes = "extraneous bytes before marker"

  /// Runs a decompression; warnings are damage unless damage is accepted.
  private func run(_ handle: tjhandle, _ decompress: (Int32) -> Int32) throws(CodecError) {
    let flags = TJFLAG_LIMITSCANS | (source.options.acceptsDamaged ? 0 : TJFLAG_STOPONWARNING)
    guard decompress(flags) != 0 else { return }
    var detail = message(handle)
    let isPadded = { detail.hasSuffix("\(Self.extraneousBytes) 0xd9") }
    if isPadded(), !source.options.acceptsDamaged {
      // Padding between the last scan and the end, as some cameras leave it: the picture is whole.
      guard decompress(TJFLAG_LIMITSCANS) != 0 else { return }
      detail = message(handle)
      if isPadded() { return }
    }
    if source.options.acceptsDamaged, tjGetErrorCode(handle) == TJERR_WARNING.rawValue.signed { return }
    if detail.hasPrefix("Unsupported") { throw source.unsupported("this kind of JPEG (\(detail))") }
    throw source.damaged(detail)
  }

  private var orientation: Orientation {
    markers.exif.map { ExifOrientation.find(in: source.bytes[$0]) } ?? .up
  }

  func metadata() throws(CodecError) -> Metadata {
    let xmp = markers.xmp.map { Array(source.bytes[$0]) }
    return Metadata(
      iccProfile: try markers.iccProfile(source), exif: markers.exif.map { Array(source.bytes[$0]) },
      xmp: xmp,
      iptc: markers.photoshop.flatMap { PhotoshopResources.iptc(in: source.bytes[$0]) },
      storedOrientation: orientation, lost: markers.hasGainMap || describesGainMap(xmp) ? [.gainMap] : [])
  }

  /// Adobe's and Google's name space, and Apple's.
  private func describesGainMap(_ xmp: [UInt8]?) -> Bool {
    guard let xmp else { return false }
    return ["hdrgm:Version", "HDRGainMapVersion"].contains { Array($0.utf8).isContained(in: xmp) }
  }

  private func message(_ handle: tjhandle) -> String { String(cString: tjGetErrorStr2(handle)) }
}

extension UInt32 {
  /// C enumerations come as unsigned, C functions take them as `int`.
  var signed: Int32 { Int32(bitPattern: self) }
}
