import CTurboJPEG
import Frames

/// A compressor of one thread, with the memory that it needs from band to band.
final class JPEGBandCompressor {
  private let handle: tjhandle
  private let frame: Frame
  private let subsampling: TJSAMP
  private let quality: Int
  private var scratch: PlaneBuilder?

  /// - Parameter frame: in the layout of `subsampling`.
  /// - Throws: `CodecError.allocation`.
  init(_ frame: Frame, _ subsampling: TJSAMP, quality: Int) throws(CodecError) {
    guard let handle = tjInitCompress() else { throw .allocation(name: frame.name, .outOfMemory(bytes: 0)) }
    self.handle = handle
    self.frame = frame
    self.subsampling = subsampling
    self.quality = quality
  }

  deinit { tjDestroy(handle) }

  /// The rows as a JPEG file of their own.
  /// - Parameter rows: of luma, from a multiple of the MCU's height on.
  /// - Throws: `CodecError.allocation`, `CodecError.encodingFailed`.
  func compress(_ rows: Range<Int>) throws(CodecError) -> JPEGStream {
    var pointers: [UnsafePointer<UInt8>?] = []
    var strides: [Int32] = []
    for (plane, grid) in zip(frame.planes, frame.grids) {
      let start = plane.withUnsafeBytes { $0 + plane.stride * (rows.lowerBound / grid.scaleY) }
      pointers.append(start.assumingMemoryBound(to: UInt8.self))
      strides.append(Int32(plane.stride))
    }
    if let luma = try paddedLuma(rows) {
      pointers[0] = UnsafePointer(luma.row(0, as: UInt8.self).baseAddress)
      strides[0] = Int32(luma.stride)
    }
    var output: UnsafeMutablePointer<UInt8>?
    var length = UInt(0)
    let code = withExtendedLifetime((frame, scratch)) {
      tjCompressFromYUVPlanes(
        handle, &pointers, Int32(frame.size.width), &strides, Int32(rows.count), subsampling.rawValue.signed, &output,
        &length, Int32(quality), TJFLAG_ACCURATEDCT)
    }
    guard code == 0, let output else {
      tjFree(output)
      throw .encodingFailed(format: .jpeg, detail: String(cString: tjGetErrorStr2(handle)))
    }
    return JPEGStream(taking: output, count: Int(length))
  }

  /// Luma with its last column and row repeated until its sides are multiples of what a sample of chroma stands for,
  /// as TurboJPEG reads it; nil where they are. Chroma's sides are right as they are.
  private func paddedLuma(_ rows: Range<Int>) throws(CodecError) -> PlaneBuilder? {
    let (grid, luma) = (subsampling.chromaGrid, frame.planes[0])
    let width = luma.width.dividedUp(by: grid.scaleX) * grid.scaleX
    let height = rows.count.dividedUp(by: grid.scaleY) * grid.scaleY
    guard width != luma.width || height != rows.count else { return nil }
    let target: PlaneBuilder
    if let scratch, scratch.height >= height {
      target = scratch
    } else {
      do {
        target = try PlaneBuilder(width: width, height: height, bits: 8)
      } catch {
        throw .allocation(name: frame.name, error)
      }
      scratch = target
    }
    for y in 0..<height {
      luma.withUnsafeRow(rows.lowerBound + min(y, rows.count - 1), as: UInt8.self) { source in
        let row = target.row(y, as: UInt8.self)
        let end = row.update(fromContentsOf: source)
        row[end...].update(repeating: source[source.count - 1])
      }
    }
    return target
  }
}

extension TJSAMP {
  /// Nil for one that is none of those with a name.
  var knownChromaGrid: PlaneGrid? {
    switch self {
    case TJSAMP_444, TJSAMP_GRAY: .full
    case TJSAMP_422: PlaneGrid(scaleX: 2, scaleY: 1)
    case TJSAMP_420: PlaneGrid(scaleX: 2, scaleY: 2)
    case TJSAMP_440: PlaneGrid(scaleX: 1, scaleY: 2)
    case TJSAMP_411: PlaneGrid(scaleX: 4, scaleY: 1)
    default: nil
    }
  }

  /// Of one that we write.
  var chromaGrid: PlaneGrid { knownChromaGrid ?? .full }

  /// The size of an MCU in pixels: a block of each chroma plane and the luma below it, or of grey a block alone.
  var unit: Size { Size(width: 8 * chromaGrid.scaleX, height: 8 * chromaGrid.scaleY) }
}
