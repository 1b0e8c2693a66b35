public import Frames

extension EditError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .maskSize(let mask, let size, let reference):
      Explanation("The mask '\(mask)' is \(size), but the reference is \(reference).", "Make them equal.")
    case .empty(let mask?):
      Explanation("The mask '\(mask)' is white nowhere, so that no pixel is meant.", "Paint white what is meant.")
    case .empty(nil):
      Explanation("A stroke touches no pixel of the reference.", "Paint where it lies, or leave it out.")
    case .outside(let point, let size):
      Explanation("\(point.words) lies outside the reference, which is \(size).")
    case .nothingDiffers(let point):
      Explanation("No frame differs from the others at \(point.words) of the reference.", "Give a mask instead.")
    case .nobodyElse:
      Explanation("Whoever should go there stands in every frame.", "Nothing is known of what is behind.")
    case .tooManyFrames(let most):
      Explanation(
        "The edits name more than \(most) frames beside the reference.",
        "Make the plate of fewer frames, or name fewer of them.")
    case .notShown(let frame):
      Explanation("'\(frame)' shows nothing of the place that should be taken from it.", "Choose another frame.")
    case .noSuchFrame(let name):
      Explanation(
        "An edit names the frame '\(name)', but none of the burst, or more than one, is called so.",
        "Frames count from 0, as in the report.")
    case .leftOut(let frame, let reason):
      Explanation(
        "An edit names '\(frame)', which takes no part in the plate: \(reason.words).", "Choose another frame.")
    case .otherReference(let wanted, let chosen):
      Explanation(
        "The edits are made for the reference '\(wanted)', but it is '\(chosen)' here.",
        "Name it with \(option("reference")).")
    }
  }
}

extension Point {
  /// Whole pixels where they are few enough to be counted.
  fileprivate var words: String {
    [x, y].map { Int(exactly: $0.rounded(.down)).map(String.init) ?? "\($0)" }.joined(separator: ",")
  }
}

extension EditsFileError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    switch self {
    case .unreadable(let detail): Explanation("These are no edits: \(detail).")
    case .unknownVersion(let version):
      Explanation("The edits have the form \(version); this program knows form 1.", "Update the program.")
    case .noPlace(let edit):
      Explanation(
        "Edit \(edit) must have one of point (x and y), stroke (a radius of 0 or more, and points) and mask, with finite numbers."
      )
    case .noFrame(let edit): Explanation("Edit \(edit) takes a place and names no frame.")
    }
  }
}
