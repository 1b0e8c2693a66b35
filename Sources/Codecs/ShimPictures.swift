import CShimLibraries
import Frames
import ShimSupport

/// What decoders behind the C shim share: they fill planes of a `cs_picture_info`.
extension Source {
  var shimBytes: cs_bytes { cs_bytes(bytes: bytes.baseAddress, count: bytes.count) }

  func check(_ status: cs_status) throws(CodecError) {
    do {
      try ShimSupport.check(status)
    } catch {
      switch error.kind {
      case .outOfMemory: throw .allocation(name: name, .outOfMemory(bytes: 0))
      case .unsupported: throw unsupported(error.message)
      default: throw damaged(error.message)
      }
    }
  }

  func header(_ format: ImageFormat, _ info: cs_picture_info) -> PictureHeader {
    PictureHeader(
      format: format, storedSize: info.size, bits: Int(info.bits),
      orientation: Orientation(rawValue: Int(info.orientation)) ?? .up)
  }

  /// The frame whose planes `read` fills.
  func frame(
    _ info: cs_picture_info, read: (UnsafePointer<cs_target_plane>, Int32) -> cs_status
  ) throws(CodecError) -> (planes: [Plane], encoding: PixelEncoding) {
    let builders = try planeBuilders(Array(repeating: info.size, count: Int(info.channels)), bits: Int(info.bits))
    let targets = builders.map {
      cs_target_plane(samples: $0.base, stride: $0.stride, width: info.width, height: info.height, bits: info.bits)
    }
    try check(read(targets, options.acceptsDamaged ? 1 : 0))
    return (builders.map { $0.finish() }, info.channels == 1 ? .grey(.full) : .rgb)
  }

  func profile(_ bytes: cs_bytes) throws(CodecError) -> [UInt8]? {
    guard bytes.count > 0 else { return nil }
    let limit = options.limits.maximumProfileBytes
    guard bytes.count <= limit else { throw .tooMuchMetadata(name: name, bytes: bytes.count, limit: limit) }
    return Array(UnsafeBufferPointer(start: bytes.bytes, count: bytes.count))
  }
}

extension cs_picture_info {
  var size: Size { Size(width: Int(width), height: Int(height)) }
}

/// Gives `body` the planes as C sees them, for the length of the call.
func withShimPlanes<R>(_ planes: [Plane], _ body: (UnsafePointer<cs_plane>, Int32) -> R) -> R {
  withExtendedLifetime(planes) {
    let views = planes.map { plane in
      plane.withUnsafeBytes {
        cs_plane(
          samples: $0, stride: plane.stride, width: Int32(plane.width), height: Int32(plane.height),
          bits: Int32(plane.bits))
      }
    }
    return body(views, Int32(views.count))
  }
}
