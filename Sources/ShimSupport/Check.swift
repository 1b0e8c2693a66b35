package import CShimKernels

/// A call into C or C++ that failed.
package struct ShimError: Error, Equatable, Sendable {
  package enum Kind: Sendable {
    case invalidArgument, outOfMemory, badData, libraryFailure, unsupported
  }

  package let kind: Kind
  /// The failing library's own words, in English, for developers.
  package let message: String

  package init(kind: Kind, message: String) {
    self.kind = kind
    self.message = message
  }
}

/// Turns a C status into a Swift error: the one place where that happens.
/// - Throws: `ShimError` when `status` is not `CS_OK`.
package func check(_ status: cs_status) throws(ShimError) {
  guard status.code != CS_OK else { return }
  let message = withUnsafeBytes(of: status.message) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
  let kind: ShimError.Kind =
    switch status.code {
    case CS_INVALID_ARGUMENT: .invalidArgument
    case CS_OUT_OF_MEMORY: .outOfMemory
    case CS_BAD_DATA: .badData
    case CS_UNSUPPORTED: .unsupported
    default: .libraryFailure
    }
  throw ShimError(kind: kind, message: message)
}
