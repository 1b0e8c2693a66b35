public import Frames

extension Event {
  /// What should be known of the plate although nothing went wrong in making it: what its files lose, what it shows less or
  /// more of than one would expect, who does not take part in choosing; nil for what only tells how far a run is.
  /// - Parameter option: writes the name of one of the options, such as `crop`, as the reader knows it.
  public func note(naming option: (String) -> String) -> Explanation? {
    switch self {
    case .lost(let loss, let names): loss.note(of: names)
    case .strangeDetector(let path, let problem?):
      Explanation(
        "\(path.text): \(problem.words), and without it no detector is used.", "`cleanplate fetch-detector` brings it.")
    case .strangeDetector(let path, nil):
      Explanation(
        "\(path.text) is not the file that `cleanplate fetch-detector` brings, and no detector is used.",
        "Fetch it anew, or use \(option("detector")) to name weights of your own.")
    case .noOutlines(let path):
      Explanation(
        "\(path.text) is missing: people are known by boxes alone.", "`cleanplate fetch-detector` brings it.")
    case .noDetector: Explanation("No detector told who lingers.", "`cleanplate fetch-detector` brings one.")
    case .bordered(let window, let size, let isCut): borderNote(window, size, isCut: isCut, option)
    case .marked(let places, _): marksNote(places)
    case .cropped(let region, let size):
      Double(region.area) < Region.leastCrop * Double(size.area)
        ? Explanation(
          "Only \(Int((100 * Double(region.area) / Double(size.area)).rounded())) % of the reference is in all pictures.",
          "\(option("crop")) reference shows all of it.")
        : nil
    default: nil
    }
  }
}

extension Region {
  /// The share of the reference below which a plate is told to show less than one would expect.
  public static let leastCrop = 0.85
}

private func borderNote(_ window: Region, _ size: Size, isCut: Bool, _ option: (String) -> String) -> Explanation {
  let widths = [window.x, window.y, size.width - window.maxX, size.height - window.maxY].map(String.init)
  let border = "The pictures have a plain border (left, top, right, bottom: \(widths.joined(separator: ", ")) px"
  return isCut
    ? Explanation("\(border) of \(size)). The plate shows what lies within.")
    : Explanation(
      "\(border) of \(size)) that lies over the plate's rim.", "Use \(option("crop")) common to leave it out.")
}

private func marksNote(_ places: [Region]) -> Explanation? {
  guard let first = places.first else { return nil }
  let others = places.count - 1
  let more = others == 0 ? "" : ", and \(others) \(others == 1 ? "place" : "places") more"
  return Explanation(
    "Something does not move with the scene, such as a date, a logo or a finger before the lens "
      + "(\(first.width)x\(first.height) px at \(first.x),\(first.y) of the reference\(more)): "
      + "where no picture shows what is behind it, the plate shows it.",
    "More pictures help only if the camera moves further.")
}

extension Loss {
  /// What the files lose.
  fileprivate func note(of names: [String]) -> Explanation {
    let files = names.count == 1 ? names[0] : "\(names.count) pictures (\(names[0]), ...)"
    return switch self {
    case .gainMap: Explanation("\(files): the HDR gain map is lost; the plate is an ordinary picture.")
    case .highDynamicRange:
      Explanation("\(files): high dynamic range (PQ or HLG) is taken as it is coded, so the plate looks flat.")
    case .furtherPictures: Explanation("\(files): only the first of its pictures is taken.")
    case .transparency:
      Explanation(
        "\(files): transparent places are taken for what is stored there, mostly black, as if the camera had seen it.",
        "Crop them away, or give the photos as they were taken.")
    case .pixelAspect:
      Explanation(
        "\(files): the pixels are not square and are taken as if they were, so the plate is stretched.",
        "Scale the video before.")
    }
  }
}
