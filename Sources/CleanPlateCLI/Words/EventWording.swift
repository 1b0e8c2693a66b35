import CleanPlate
import Frames

/// What is said about an event beside the progress line: warnings always, findings with `--verbose`.
/// - Parameter tellsStages: whether plain lines of progress say how long stages took.
func wording(of event: Event, verbose: Bool, tellsStages: Bool) -> [String] {
  let note = event.note { "--\($0)" }?.text
  switch event {
  case .rejected(_, let name, let reason):
    return ["warning: \(name) is left out: \(reason.words)"]
  case .lost, .strangeDetector, .marked, .bordered(_, _, isCut: false):
    return note.map { ["warning: \($0)"] } ?? []
  case .noOutlines, .bordered(_, _, isCut: true):
    return note.map { [$0] } ?? []
  case .noDetector(let folders) where verbose:
    return ["no detector in \(folders.map(\.text).joined(separator: ", ")): outlines alone tell who lingers"]
  case .decoded(let index, let name, let size) where verbose:
    return ["frame \(index): \(name), \(size)"]
  case .referenceChosen(let index, let name) where verbose:
    return ["reference: frame \(index), \(name)"]
  case .registered(let index, let name, let alignment) where verbose:
    let residual = alignment.residual.formatted(decimals: 2)
    return ["frame \(index): \(name), \(alignment.inliers) inliers, residual \(residual) px"]
  case .cropped(let region, let size):
    let percent = (100 * Double(region.area) / Double(size.area)).formatted(decimals: 1)
    let finding = "crop: \(region.width)x\(region.height) at \(region.x),\(region.y), \(percent) % of the reference"
    return (verbose ? [finding] : []) + [note].compactMap(\.self)
  case .kept(let folder):
    return ["frames and report are kept in \(folder.text)"]
  case .finished(let stage, let seconds) where verbose && !tellsStages:
    return ["\(stage.rawValue): \(seconds.formatted(decimals: 2)) s"]
  default: return []
  }
}

extension Console {
  /// A word about what lay in the folders and takes no part.
  func note(skipped: [BurstFiles.Skipped], verbose: Bool) {
    var others: [BurstFiles.Skipped] = []
    for item in skipped {
      if case .unreadable(let why) = item.reason {
        warn("\(item.path.text) is left out: \(why)")
      } else {
        others.append(item)
      }
    }
    guard !others.isEmpty else { return }
    let videos = others.count { $0.reason == .video }
    if videos > 0 {
      note(
        videos == 1
          ? "1 video takes no part: given by itself, it makes a plate of its own"
          : "\(videos) videos take no part: each, given by itself, makes a plate of its own")
    }
    if verbose {
      for item in others { note("skipped: \(item.path.text), \(item.reason.words)") }
    } else {
      let count = others.count - videos
      guard count > 0 else { return }
      note(
        count == 1
          ? "skipped 1 entry of the given folders that is no photo (--verbose names it)"
          : "skipped \(count) entries of the given folders that are no photos (--verbose names them)")
    }
  }
}

extension BurstFiles.Skipped.Reason {
  var words: String {
    switch self {
    case .hidden: "a hidden file"
    case .folder: "a folder"
    case .plate: "a plate that cleanplate made"
    case .notAPicture: "not a picture of a known format"
    case .unreadable(let why): why
    case .seenAlready: "a folder that another path leads to"
    case .output: "the output folder"
    case .video: "a video, which is a burst by itself"
    case .special(let kind): kind.words
    }
  }
}

extension Report {
  /// How little a photo's video shows of it; nil where that is enough.
  func wordsOfVideo(of photo: MotionPhoto) -> String? {
    let share = shareBesideReference
    guard share < Region.leastCrop else { return nil }
    let percent = Int((100 * share).rounded())
    return "the video shows only \(percent) % of \(photo.path.text); nobody is removed from the rest"
  }
}

/// Where a detector was wanted and none was there.
let wordsWithoutDetector = "no detector told who lingers: `cleanplate fetch-detector` brings one"

/// The last line of a run that made a plate.
/// - Parameter lacksDetector: whether a detector was wanted and none was there.
func closingLine(_ result: PlateResult, output: FilePath, lacksDetector: Bool) -> String {
  var line = "\(output.text): \(result.report.summary)"
  if lacksDetector { line += "; \(wordsWithoutDetector)" }
  return line
}
