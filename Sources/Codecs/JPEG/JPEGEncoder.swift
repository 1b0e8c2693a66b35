import CTurboJPEG
import Frames

/// JPEG from planes, without a detour through RGB (`tjCompressFromYUVPlanes`), on several threads: bands are compressed
/// on their own and joined. The samples that come out are those of one compression of the whole.
struct JPEGEncoder {
  let options: EncodeOptions
  /// Pixels of a band, at least; tests have smaller ones.
  var bandPixels = JPEGBands.pixels

  func encode(_ frame: Frame, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    guard frame.size.width <= 65_500, frame.size.height <= 65_500 else {
      throw .tooLargeForFormat(format: .jpeg, size: frame.size, maximumDimension: 65_500)
    }
    let (layout, subsampling) = layout(for: frame)
    let ready = try frame.prepared(for: layout)
    let segments = JPEGSegments.segments(of: metadata)
    let bands = JPEGBands(size: ready.size, unit: subsampling.unit, pixels: bandPixels)
    if bands.count > 1 {
      let streams = try mapIndicesInPlace(count: bands.count, threads: options.threads) { () throws(CodecError) in
        try JPEGBandCompressor(ready, subsampling, quality: options.quality)
      } body: { (index, compressor) throws(CodecError) in
        try compressor.compress(bands[index])
      }
      let joined = JPEGStream.joining(
        streams, height: ready.size.height, restartInterval: bands.restartInterval, inserting: segments)
      if let joined { return joined }
    }
    let compressor = try JPEGBandCompressor(ready, subsampling, quality: options.quality)
    return try compressor.compress(0..<ready.size.height).inserting(segments)
  }

  /// The nearest layout that TurboJPEG writes.
  private func layout(for frame: Frame) -> (PixelLayout, TJSAMP) {
    switch frame.encoding {
    case .grey: return (PixelLayout(encoding: .grey(.full), bits: 8), TJSAMP_GRAY)
    case .rgb: return (PixelLayout(encoding: .yCbCr(.bt601, .full), bits: 8), TJSAMP_444)
    case .yCbCr:
      let subsampling: TJSAMP =
        switch (frame.grids[1].scaleX, frame.grids[1].scaleY) {
        case (1, 1): TJSAMP_444
        case (2, 1): TJSAMP_422
        case (1, 2): TJSAMP_440
        case (4, 1): TJSAMP_411
        default: TJSAMP_420
        }
      let grid = subsampling.chromaGrid
      return (PixelLayout(encoding: .yCbCr(.bt601, .full), bits: 8, grids: [.full, grid, grid]), subsampling)
    }
  }
}
