public import Codecs
import Foundation
public import Frames
public import SystemPackage

extension Rejection {
  /// Why the frame was left out, as a clause that follows the frame's name and a colon.
  public var words: String {
    switch self {
    case .unreadable(let reason): reason
    case .differentEncoding:
      "its colours or bit depth differ in kind from the reference's, as black and white from colour"
    case .differentColours(let strength):
      "its colours are \(times(max(strength, 1 / strength))) as \(strength > 1 ? "strong" : "faint") as the reference's, as by a filter"
    case .tooFewFeatures(let found): "too little texture to register it (\(found) features)"
    case .tooFewInliers(let found, let needed):
      "it shows another scene or too little of this one (\(found) matches agree, \(needed) are needed)"
    case .poorSpread(let cells, let needed):
      "the matches sit in too small a part of the picture (\(cells) of at least \(needed) cells)"
    case .implausibleGeometry: "the matches bend the picture beyond what a camera can do"
    case .tooFarAway(let share, let limit):
      "it is aimed too far away (\(percent(share, past: limit)) of the width, at most \(percent(limit)))"
    case .zoomed(let factor, let limit):
      "it is zoomed \(factor > 1 ? "in" : "out") \(times(max(factor, 1 / factor), past: limit)) (at most \(times(limit)))"
    case .upsideDown: "it lies upside down: turn it by 180 degrees"
    case .repeating: "the picture repeats itself, and more than one place fits equally well"
    case .tooFaint: "too little that stands still can be seen in it to tell exactly where it belongs"
    case .overlapsTooLittle(let cost, let limit):
      "it alone would cost \(percent(cost, past: limit)) of the plate's area (at most \(percent(limit)) may be; a plate of the whole reference keeps it)"
    case .inconsistent(let pixels): "its motion contradicts the other frames' by \(Int(pixels.rounded(.up))) px"
    case .sameShot(let name): "it is the same shot as \(name), and every shot counts once"
    case .plate: "cleanplate made it: a plate is no frame"
    case .leftOutBefore(let reason): "the report left it out: \(reason)"
    case .overexposed(let share, let limit):
      "it is overexposed (\(percent(share, past: limit)) of it are clipped, at most \(percent(limit)) may be)"
    case .underexposed(let factor, let limit):
      "it is underexposed (\(Int(factor.rounded(.up))) times darker than the reference, at most \(Int(limit)) times)"
    case .tooSmall(let share, let limit):
      "it is too small (\(percent(share, past: limit)) of the reference's resolution, at least \(percent(limit)))"
    case .noisy(let factor, let limit):
      "it is noisy (\(Int(factor.rounded(.up))) times as much as the burst, at most \(Int(limit)) times)"
    case .blurred(let share, let limit):
      "it is blurred (sharpness \(percent(share, past: limit)) of the burst's, at least \(percent(limit)))"
    }
  }
}

private func times(_ factor: Double, past limit: Double? = nil) -> String {
  let tenths = rounded(10 * factor, past: limit.map { 10 * $0 })
  return "\(tenths / 10).\(tenths % 10) times"
}

private func percent(_ share: Double, past limit: Double? = nil) -> String {
  "\(rounded(100 * share, past: limit.map { 100 * $0 })) %"
}

/// To the nearest number, but not to that of a limit which is passed.
private func rounded(_ value: Double, past limit: Double?) -> Int {
  let nearest = Int(value.rounded())
  guard let limit, nearest == Int(limit.rounded()), value != limit else { return nearest }
  return value > limit ? nearest + 1 : nearest - 1
}

extension CodecError {
  /// What is wrong with the file, as a clause that follows its name and a colon.
  public var words: String {
    switch self {
    case .empty: "the file is empty"
    case .unrecognized(_, let other?): other.words
    case .unrecognized(_, nil):
      "it is not a picture of a known format (JPEG, PNG, TIFF, WebP, HEIC, AVIF, JPEG XL, cameras' RAW)"
    case .unsupported(_, let what): "this is not supported: \(what)"
    case .damaged(_, let detail): "it is damaged or cut short (\(detail))"
    case .tooLarge(_, let size, let limit):
      "it claims \(size) pixels; at most \(limit.maximumDimension) a side and \(limit.maximumPixels / 1_000_000) megapixels are read"
    case .tooMuchMetadata(_, let bytes, let limit):
      "it carries \(bytes) bytes of metadata; at most \(limit) are read"
    case .allocation(_, let error): error.words
    case .encodingFailed(let format, let detail): "it could not be written as \(format.rawValue) (\(detail))"
    case .archiveTooLarge(let bytes):
      "its \(bytes >> 20) MiB are more than an OpenRaster file holds (4 GiB)"
    case .tooLargeForFormat(let format, let size, let limit):
      "\(size) pixels do not fit into \(format.rawValue), which holds \(limit) a side"
    case .noAlpha(let format): "\(format.rawValue) is not written with transparency"
    case .programMissing(let program, let package, _):
      "reading it takes the program \(program), which is not installed; install the package \(package)"
    case .colourConversion(_, let why): why
    }
  }
}

extension ForeignFormat {
  /// Why the file is not read, as a clause that follows its name and a colon.
  fileprivate var words: String {
    switch self {
    case .gif: picture("a GIF")
    case .bmp: picture("a BMP")
    case .netpbm: picture("a PBM, PGM, PPM, PAM or PFM")
    case .jpeg2000: picture("a JPEG 2000")
    case .jpegXR: picture("a JPEG XR")
    case .photoshop: picture("a Photoshop document")
    case .gimp: picture("a GIMP document")
    case .openEXR: picture("an OpenEXR")
    case .radiance: picture("a Radiance HDR")
    case .fits: picture("a FITS")
    case .qoi: picture("a QOI")
    case .icon: picture("an icon")
    case .svg: "it is a drawing (SVG), not a photo"
    case .pdf: "it is a PDF, not a picture"
    case .webPage: "it is a web page, not a picture"
    case .archive: "it is an archive, not a picture"
    case .video: "it is a video, not a photo"
    case .zeros: "it begins with zeros, as a copy that failed leaves it"
    }
  }

  private func picture(_ noun: String) -> String { "it is \(noun), which is not read: make a PNG of it" }
}

extension FileError {
  /// What is wrong with the file, as a clause that follows its name and a colon.
  public var words: String {
    switch self {
    case .cannotRead(_, let errno): "it cannot be read (\(systemWords(errno)))"
    case .special(_, let kind): "it is \(kind.words), not a file"
    case .tooLong(_, let limit): "it is larger than \(limit >> 20) MiB"
    case .cannotCreate(_, let errno): "it cannot be created (\(systemWords(errno)))"
    case .cannotWrite(_, let errno): "writing it failed (\(systemWords(errno)))"
    }
  }

  /// Whether it is for want of permission.
  var isForbidden: Bool {
    if case .cannotRead(_, EACCES) = self { true } else { false }
  }

  /// The file in question.
  public var path: FilePath {
    switch self {
    case .cannotRead(let path, _), .special(let path, _), .tooLong(let path, _), .cannotCreate(let path, _),
      .cannotWrite(let path, _):
      path
    }
  }
}

extension SpecialFile {
  /// As a noun with its article.
  public var words: String {
    switch self {
    case .pipe: "a pipe"
    case .device: "a device"
    case .socket: "a socket"
    }
  }
}

func systemWords(_ errno: Int32) -> String { String(cString: strerror(errno)) }

extension AllocationError {
  /// What is lacking and what helps, in one line.
  fileprivate var words: String { explanation { $0 }.text }
}
