/// Why an edit cannot be made.
public enum EditError: Error, Sendable, Hashable {
  /// The mask has another size than the reference.
  case maskSize(mask: String, Size, reference: Size)
  /// The mask of this name has no white pixel, or the stroke, where it is nil, no point within the picture.
  case empty(mask: String?)
  /// The point lies beside the reference.
  case outside(Point, reference: Size)
  /// No two frames differ at the point, so that nothing can be kept, taken or removed there.
  case nothingDiffers(Point)
  /// Nobody can be removed: every frame shows the same there, or nothing.
  case nobodyElse
  /// Edits name more frames than can be compared with the reference.
  case tooManyFrames(most: Int)
  /// The frame shows nothing of the place.
  case notShown(frame: String)
  /// No frame is called so, or has that number.
  case noSuchFrame(String)
  /// The frame takes no part in the plate.
  case leftOut(frame: String, Rejection)
  /// The edits were made for another reference.
  case otherReference(wanted: String, chosen: String)
}
