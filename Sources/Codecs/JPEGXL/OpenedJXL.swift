import CJXL

/// libjxl, opened when it is first asked for; nil where it is missing.
private nonisolated(unsafe) let opened: UnsafePointer<cs_jxl>? = {
  let functions = UnsafeMutablePointer<cs_jxl>.allocate(capacity: 1)
  return cs_jxl_open(functions) ? UnsafePointer(functions) : nil
}()

/// Whether libjxl can be called.
var isJXLThere: Bool { opened != nil }

/// libjxl's functions; to be called where it is there.
@inline(__always)
var jxl: cs_jxl { opened.unsafelyUnwrapped.pointee }
