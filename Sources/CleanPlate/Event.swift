public import Codecs
public import Frames
public import SystemPackage

/// The parts of a run, in order.
///
/// `extract` is reading the frames of a video or an animation, which is done before a run; `select` is a part of runs with
/// `clean`, and `foreground` of those that ask for it.
public enum Stage: String, Sendable, Hashable, CaseIterable, Codable {
  case extract, decode, register, select, stack, foreground, layers
}

/// What a run tells while it works. Events of one run come from several tasks.
public enum Event: Sendable {
  /// A stage begins.
  case started(Stage)
  /// `done` of `total` steps of the stage are finished; `total` is 0 where it is not known beforehand.
  case progress(Stage, done: Int, total: Int)
  /// A frame could be read; its size in pixels, upright.
  case decoded(index: Int, name: String, size: Size)
  /// The frame in which the plate is drawn.
  case referenceChosen(index: Int, name: String)
  /// A frame was registered; the alignment says where it lies.
  case registered(index: Int, name: String, Alignment)
  /// No detector's weights lie in any of the folders where they are looked for.
  case noDetector(folders: [FilePath])
  /// A detector's file in one of those folders is not the one that belongs there, or cannot be read, and why; so that none is
  /// used.
  case strangeDetector(path: FilePath, FileError?)
  /// The detector's network that outlines people is not there, so that boxes stand in for it.
  case noOutlines(path: FilePath)
  /// The plate of the frames so far, about 1280 pixels wide, when `Options.previews` asks for it. It is drawn in the
  /// chosen reference or else in the first frame, whole, by median.
  case preview(Frame)
  /// What files hold that the frames made of them do not; told once for each kind of loss.
  case lost(Loss, names: [String])
  /// A frame is left out.
  case rejected(index: Int, name: String, reason: Rejection)
  /// All pictures have a plain border that stays where it is while the scene moves, as of a letterboxed video: what lies
  /// within, and the pictures' size, in pixels; and whether the plate shows only that.
  case bordered(window: Region, of: Size, isCut: Bool)
  /// Something stays in the same place of the pictures while the scene moves, such as a date, a logo or a finger before the
  /// lens: where, the largest first, and the reference's size, in its pixels.
  case marked(places: [Region], of: Size)
  /// The part of the reference that the plate shows, and the reference's size, within its border where that is cut off, in
  /// pixels.
  case cropped(Region, of: Size)
  /// What the run saw and made is in this folder, as `Options.keep` asks for.
  case kept(folder: FilePath)
  /// A stage ended; the time since it began.
  case finished(Stage, seconds: Double)
}
