public import Frames
import Selection

/// What a person knows better than the program, place by place: who belongs in the picture, who goes, and which frame shows a
/// place best. Only `CombineOperator.clean` decides place by place, so that edits go with it alone.
public struct PlateEdits: Sendable, Hashable {
  /// The frame in whose pixels the places are meant; nil for whichever becomes the reference. Another reference is refused.
  public var reference: FrameKey?
  /// What to do, one after another: of two edits at one place, the later holds.
  public var list: [PlateEdit]

  /// What to do, in the pixels of `reference`.
  public init(_ list: [PlateEdit] = [], reference: FrameKey? = nil) {
    self.list = list
    self.reference = reference
  }

  /// Whether nothing is to be done.
  public var isEmpty: Bool { list.isEmpty }
}

/// One thing that a person knows better. Places are in pixels of the reference.
public enum PlateEdit: Sendable, Hashable {
  /// The place comes from this frame. A point means as much around it as this frame shows otherwise than most do.
  case take(FrameKey, Place)
  /// Whoever this frame shows there goes, nil standing for the reference: the place comes from frames that show something
  /// else.
  case remove(Place, from: FrameKey?)
  /// The place comes from the reference. A point means whoever the detector sees there, or else as much as stands out.
  case keep(Place)
}

/// A frame of a burst, as people name it.
public enum FrameKey: Sendable, Hashable {
  /// Its index in the burst, from 0.
  case index(Int)
  /// The `text` of its file's path, or the name that the caller gave; the path's last part will do where only one frame has
  /// it.
  case name(String)
}

/// In words.
extension FrameKey: CustomStringConvertible {
  /// The index, or the name.
  public var description: String {
    switch self {
    case .index(let index): "\(index)"
    case .name(let name): name
    }
  }

  /// The index of the frame that is meant, among frames of these names; nil where there is none, or where several have the
  /// name.
  func index(among names: [String]) -> Int? {
    switch self {
    case .index(let index): return names.indices.contains(index) ? index : nil
    case .name(let name):
      if let exact = names.firstIndex(of: name) { return exact }
      let alike = names.indices.filter { FilePath(text: names[$0]).lastComponent == FilePath(text: name).lastComponent }
      return alike.count == 1 ? alike[0] : nil
    }
  }
}

extension PlateEdits {
  /// The edits with frames as positions in the list of registered frames.
  /// - Parameters:
  ///   - names: of the burst's frames.
  ///   - reference: the reference's index among them.
  ///   - position: of a frame of the burst among those that take part, or why it does not.
  /// - Throws: `EditError`.
  func resolved(
    names: [String], reference: BurstIndex, position: (BurstIndex) -> FrameOutcome<RegisteredIndex>
  ) throws(EditError) -> [Edit] {
    if let wanted = self.reference, wanted.index(among: names) != reference.rawValue {
      throw .otherReference(wanted: wanted.description, chosen: names[reference.rawValue])
    }
    func place(of key: FrameKey) throws(EditError) -> RegisteredIndex {
      guard let index = key.index(among: names) else { throw .noSuchFrame(key.description) }
      switch position(BurstIndex(rawValue: index)) {
      case .accepted(let position): return position
      case .rejected(let reason, _): throw .leftOut(frame: names[index], reason)
      }
    }
    var edits: [Edit] = []
    for edit in list {
      switch edit {
      case .take(let key, let spot): edits.append(.take(frame: try place(of: key), spot))
      case .remove(let spot, let key):
        edits.append(.remove(from: try place(of: key ?? .index(reference.rawValue)), spot))
      case .keep(let spot): edits.append(.keep(spot))
      }
    }
    return edits
  }
}
