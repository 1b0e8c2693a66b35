public import Codecs
public import Frames
import Glibc
package import ShimSupport

extension PlateError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .tooFewInputs(let count):
      Explanation(
        "A plate needs at least 2 pictures of one scene, and \(count == 1 ? "only 1 was" : "none was") given.",
        "Add more.")
    case .tooFewGoodFrames(let accepted, let rejected):
      Explanation(
        "Only \(accepted) of \(accepted + rejected.count) pictures can be used, and a plate needs 2.",
        advice(for: rejected, naming: option))
    case .referenceOutOfRange(let index, let count):
      Explanation("\(option("reference")) \(index): the burst has frames 0 to \(count - 1).")
    case .noSuchReference(let name):
      Explanation(
        "\(option("reference")) '\(name)' is none of the pictures.", "Name one of them, or its number from 0.")
    case .referenceUnusable(let name, let reason):
      Explanation(
        "The reference '\(name)' cannot be used: \(reason.words).", "Choose another with \(option("reference")).")
    case .nothingInCommon:
      Explanation(
        "No part of the scene is in all pictures.", "Leave the outliers out, or use \(option("crop")) reference.")
    case .detectorUnreadable(let error):
      Explanation(
        "The detector's file '\(error.path.text)': \(error.words).",
        "Check the name of \(option("detector")), or fetch it anew.")
    case .detectorUnusable(let path, let reason):
      Explanation(
        "The detector's file '\(path.text)' cannot be used: \(reason).",
        "Fetch it anew, or use \(option("detector")) off.")
    }
  }
}

extension OptionError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .threads(let count): Explanation("\(option("threads")) takes a number from 1 to 1024, not \(count).")
    case .reference(let index):
      Explanation("\(option("reference")) takes auto or a frame's number from 0, not \(index).")
    case .bits(let bits): Explanation("\(option("depth")) takes a number from 8 to 16, or auto, not \(bits).")
    case .edits(let combine):
      Explanation(
        "Edits (\(option("protect")), \(option("take")), \(option("remove"))) go with \(option("combine")) clean, not with "
          + "\(combine.rawValue), which follows no frame more than another.")
    case .layers(let combine):
      Explanation(
        "\(option("layers")) goes with \(option("combine")) clean: only it knows which places are not free, and "
          + "\(combine.rawValue) does not.")
    case .foreground(let combine):
      Explanation(
        "\(option("foreground")): \(option("combine")) \(combine.rawValue) removes nobody, so there is nobody to cut out.",
        "Use clean, median or mode.")
    case .motion(let combine):
      Explanation(
        "\(option("motion")) goes with \(option("combine")) clean, not with \(combine.rawValue), which cannot tell where the "
          + "photo is free.")
    case .memory(let bytes): Explanation("\(option("memory")) takes at least 1M, not \(bytes) bytes.")
    case .registeredBefore:
      Explanation(
        "\(option("align")) and \(option("mesh")) say how to register; with \(option("alignment")) that is done already.",
        "Leave either out.")
    }
  }
}

extension BurstError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .missing(let path): Explanation("'\(path.text)' does not exist.", "Check the name.")
    case .special(let path, let kind):
      Explanation("'\(path.text)' is \(kind.words), not a file.", "Only standard input (-) is read as one.")
    case .unreadableFolder(let path, let error):
      Explanation("The folder '\(path.text)': \(error.words).", error.isForbidden ? "Check its permissions." : nil)
    case .noPictures(let folder, folders: 0):
      Explanation(
        "The folder '\(folder.text)' holds no picture of a known format.", "Name a folder with the photos of one scene."
      )
    case .noPictures(let folder, _):
      Explanation(
        "The folder '\(folder.text)' holds no picture itself, and the folders in it are not searched for one burst.",
        "Name one of them; 'cleanplate bursts' and 'cleanplate batch' take them all.")
    }
  }
}

extension BurstSearchError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .gap(let seconds): Explanation("\(option("gap")) takes a time above 0, not \(seconds) s.")
    case .atLeast(let count): Explanation("\(option("at-least")) takes a number from 2, not \(count).")
    case .maxFrames(let count, let least):
      Explanation("\(option("max-frames")) takes at least the \(least) of \(option("at-least")), not \(count).")
    }
  }
}

extension NameTemplateError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .notAName(let text):
      Explanation("\(option("name")) '\(text)' is no file's name.", "Try {first}-plate.jpg.")
    case .unknownField(let field):
      Explanation(
        "\(option("name")): {\(field)} stands for nothing.", "There are {first}, {date}, {time} and {number}.")
    }
  }
}

extension DetectorFetchError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .programMissing(let program, let package):
      Explanation("\(program) is not installed.", "On Debian, the package \(package) brings it.")
    case .noDownload(let address, let detail):
      Explanation(
        "\(address) could not be downloaded: \(detail).",
        "Download it elsewhere and name the file by \(option("from")).")
    case .wrongArchive(let name):
      Explanation("'\(name)' is not the archive that was expected.", "Nothing was taken from it.")
    case .notUnpacked(let file, let detail):
      Explanation("\(file) could not be taken out of the archive: \(detail).")
    }
  }
}

extension ReportError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .unreadable:
      Explanation("It is not a report of version 1 or 2.", "Name a file that \(option("report")) wrote.")
    case .differentCount(let report, let burst):
      Explanation(
        "The report describes \(report) frames, and \(burst) were given.", "Give the same files in the same order.")
    case .differentName(let index, let report, let burst):
      Explanation(
        "The report's frame \(index) is '\(report)', and '\(burst)' was given.",
        "Give the same files in the same order.")
    case .differentSize(let name, let report, let burst):
      Explanation("The report has \(report) pixels for '\(name)', which has \(burst).", "Give the same files.")
    case .differentContent(let name):
      Explanation("'\(name)' is not the picture that the report describes.", "Register anew, or give the same files.")
    case .badHomography(let name):
      Explanation("The report holds no usable homography for '\(name)'.", "Register anew.")
    case .noReference(let index):
      Explanation("The report's reference, frame \(index), cannot be read.", "Register anew.")
    case .otherReference(let wanted, let report):
      Explanation(
        "Its frames are drawn in '\(report)', not in '\(wanted)'.",
        "Leave \(option("reference")) out, or register anew.")
    }
  }
}

extension CodecError: WordedError {
  /// For errors that end a run: of a video, of standard input, or while a result is encoded.
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .programMissing: Explanation("The video cannot be read: \(words).")
    case .allocation(_, let error): error.explanation(naming: option)
    default:
      Explanation(name.map { "'\($0)' cannot be used: \(words)." } ?? "The result cannot be written: \(words).")
    }
  }
}

extension FileError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    let advice =
      switch self {
      case .cannotRead: "Check the name and its permissions."
      case .special: "Name a file."
      case .tooLong: "Leave it out."
      case .cannotCreate: "Choose another place."
      case .cannotWrite(_, EBADF), .cannotWrite(_, EPIPE): "Keep it open until all is written, or name a file."
      case .cannotWrite: "Free some space or choose another place."
      }
    return Explanation("'\(path.text)': \(words).", advice)
  }
}

extension AllocationError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .outOfMemory(let bytes):
      Explanation(
        "Out of memory: \((bytes >> 20) + 1) MiB more were needed.", "Set \(option("memory")) to keep frames on disk.")
    case .spillFailed(let folder, let bytes, let errno):
      Explanation(
        "\((bytes >> 20) + 1) MiB of temporary space in '\(folder.text)' could not be had (\(systemWords(errno))).",
        "Free some space or set TMPDIR.")
    }
  }
}

extension ShimError: WordedError {
  package func explanation(naming option: (String) -> String) -> Explanation {
    kind == .outOfMemory
      ? Explanation("Out of memory.", "Set \(option("memory")) to keep frames on disk.")
      : Explanation("A library failed: \(message).", "This should not happen; please report it.")
  }
}

/// What helps where too few pictures can be used: against what keeps most of them out.
private func advice(for rejected: [PlateError.LeftOut], naming option: (String) -> String) -> String {
  let codes = rejected.map(\.reason.code)
  if Set(codes) == ["unreadable"] { return "Check the files that cannot be read." }
  let comparable = codes.filter { !["unreadable", "different-encoding", "different-colours"].contains($0) }
  if comparable.isEmpty { return "Give pictures of one kind." }
  let counts = Dictionary(grouping: comparable) { $0 }.mapValues(\.count)
  let most = counts.values.max()
  let commonest = counts.filter { $0.value == most }.keys
  switch commonest.count == 1 ? commonest.first : nil {
  case "repeating": return "The scene repeats itself: include something that does not, or hold still."
  case "too-faint":
    let advice = "include something with edges, or use a tripod and \(option("align")) none."
    return "Too little that stands still can be seen: \(advice)"
  case "zoomed": return "Take them at one zoom."
  case "too-few-features":
    return "Too little can be found again: include something with edges, or use a tripod and \(option("align")) none."
  case "same-shot": return "Every shot counts once: give more of them."
  case "upside-down": return "Turn the pictures that lie upside down."
  default: return "Take them from one place, overlapping by most of their width."
  }
}
