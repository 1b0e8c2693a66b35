public import Frames

/// Why a picture could not be read or written: the facts, without the words.
public enum CodecError: Error, Sendable, Equatable {
  /// No byte at all.
  case empty(name: String)
  /// The first bytes are those of no format that is read, but perhaps of another.
  case unrecognized(name: String, ForeignFormat? = nil)
  /// A picture of a kind that is not read or written; `what` is a noun phrase such as "CMYK colours".
  case unsupported(name: String, what: String)
  /// The data break the format's rules or end early; `detail` is the decoder's own word.
  case damaged(name: String, detail: String)
  /// The header claims more than the limits allow.
  case tooLarge(name: String, size: Size, limit: DecodeLimits)
  /// A profile or a block of metadata is larger than the limits allow.
  case tooMuchMetadata(name: String, bytes: Int, limit: Int)
  case allocation(name: String, AllocationError)
  /// The encoder failed; `detail` is its own word.
  case encodingFailed(format: ImageFormat, detail: String)
  /// The picture is larger than the format can hold on a side.
  case tooLargeForFormat(format: ImageFormat, size: Size, maximumDimension: Int)
  /// An archive of pictures would not fit into 4 GiB, or hold 65,536 files.
  case archiveTooLarge(bytes: Int)
  /// The format is not written with transparency.
  case noAlpha(format: ImageFormat)
  /// A program that reads this kind of file is not installed; `package` is Debian's that brings it.
  case programMissing(program: String, package: String, name: String)
  /// A frame's colours cannot be brought to the wanted profile; `why` is a clause.
  case colourConversion(name: String, why: String)
}

extension CodecError {
  /// What the error is about: a path, or the name that the caller chose; nil when it is about what was to be written.
  public var name: String? {
    switch self {
    case .empty(let name), .unrecognized(let name, _), .unsupported(let name, _), .damaged(let name, _),
      .tooLarge(let name, _, _), .tooMuchMetadata(let name, _, _), .allocation(let name, _),
      .programMissing(_, _, let name), .colourConversion(let name, _):
      name
    case .encodingFailed, .tooLargeForFormat, .archiveTooLarge, .noAlpha: nil
    }
  }
}
