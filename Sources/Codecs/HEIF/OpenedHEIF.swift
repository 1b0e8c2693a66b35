import CHeif

/// libheif, opened when it is first asked for; nil where it is missing.
private nonisolated(unsafe) let opened: UnsafePointer<cs_heif>? = {
  let functions = UnsafeMutablePointer<cs_heif>.allocate(capacity: 1)
  return cs_heif_open(functions) ? UnsafePointer(functions) : nil
}()

/// Whether libheif can be called.
var isHEIFThere: Bool { opened != nil }

/// libheif's functions; to be called where it is there.
@inline(__always)
var heif: cs_heif { opened.unsafelyUnwrapped.pointee }
