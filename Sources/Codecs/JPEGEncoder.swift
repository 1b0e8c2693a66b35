import CTurboJPEG
import Frames

/// JPEG from planes, without a detour through RGB (`tjCompressFromYUVPlanes`).
struct JPEGEncoder {
  let options: EncodeOptions

  func encode(_ frame: Frame, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    guard frame.size.width <= 65_500, frame.size.height <= 65_500 else {
      throw .tooLargeForFormat(format: .jpeg, size: frame.size, maximumDimension: 65_500)
    }
    let (layout, subsampling) = layout(for: frame)
    let ready = try frame.prepared(for: layout)
    let body = try compress(ready, subsampling)
    return JPEGSegments.insert(metadata, into: body)
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

  private func compress(_ frame: Frame, _ subsampling: TJSAMP) throws(CodecError) -> [UInt8] {
    guard let handle = tjInitCompress() else { throw .allocation(name: frame.name, .outOfMemory(bytes: 0)) }
    defer { tjDestroy(handle) }
    // TurboJPEG reads planes padded to whole blocks of chroma.
    var planes: [Plane] = []
    do {
      let (x, y) = subsampling.padding
      for (plane, grid) in zip(frame.planes, frame.grids) {
        planes.append(try plane.padded(x / grid.scaleX, y / grid.scaleY))
      }
    } catch {
      throw .allocation(name: frame.name, error)
    }
    var output: UnsafeMutablePointer<UInt8>?
    var length = UInt(0)
    defer { tjFree(output) }
    var strides = planes.map { Int32($0.stride) }
    var pointers = planes.map { plane in plane.withUnsafeBytes { $0 } }.map {
      Optional($0.assumingMemoryBound(to: UInt8.self))
    }
    let code = withExtendedLifetime(planes) {
      tjCompressFromYUVPlanes(
        handle, &pointers, Int32(frame.size.width), &strides, Int32(frame.size.height), subsampling.rawValue.signed,
        &output, &length, Int32(options.quality), TJFLAG_ACCURATEDCT)
    }
    guard code == 0, let output else {
      throw .encodingFailed(format: .jpeg, detail: String(cString: tjGetErrorStr2(handle)))
    }
    return Array(UnsafeBufferPointer(start: output, count: Int(length)))
  }
}

extension TJSAMP {
  fileprivate var chromaGrid: PlaneGrid {
    switch self {
    case TJSAMP_422: PlaneGrid(scaleX: 2, scaleY: 1)
    case TJSAMP_440: PlaneGrid(scaleX: 1, scaleY: 2)
    case TJSAMP_411: PlaneGrid(scaleX: 4, scaleY: 1)
    case TJSAMP_420: PlaneGrid(scaleX: 2, scaleY: 2)
    default: .full
    }
  }

  /// What luma's width and height must be multiples of.
  fileprivate var padding: (x: Int, y: Int) { (chromaGrid.scaleX, chromaGrid.scaleY) }
}

extension Plane {
  /// The plane with its last column and row repeated until its sides are multiples of `x` and `y`; itself
  /// when they are.
  fileprivate func padded(_ x: Int, _ y: Int) throws(AllocationError) -> Plane {
    let (wide, high) = ((width + x - 1) / x * x, (height + y - 1) / y * y)
    guard wide != width || high != height else { return self }
    let builder = try PlaneBuilder(width: wide, height: high, bits: bits)
    for row in 0..<high {
      let target = builder.row(row, as: UInt8.self)
      withUnsafeRow(min(row, height - 1), as: UInt8.self) { source in
        for column in 0..<wide { target[column] = source[min(column, source.count - 1)] }
      }
    }
    return builder.finish()
  }
}
