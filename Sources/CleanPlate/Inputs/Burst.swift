import Frames
import Registration

/// The frames of a burst, and for those that cannot be used the reason.
struct Burst: Sendable {
  /// What is known of one input.
  struct Entry: Sendable {
    let name: String
    let outcome: FrameOutcome<Content>

    var frame: Frame? { outcome.value?.frame }
    var digest: String? { outcome.value?.digest }
  }

  /// A frame, and what registration needs of it.
  struct Content: Sendable {
    let frame: Frame
    /// Of the file's bytes, in hexadecimal digits; nil for frames that came without a file, and
    /// where nobody asked for it.
    let digest: String?
    let description: FrameDescription
    /// Where it lies, where that was found out already.
    let early: EarlyPlace?
    /// The fewest significant bits that hold every sample.
    let bitsInUse: Int

    init(frame: Frame, digest: String?, description: FrameDescription, early: EarlyPlace?) {
      (self.frame, self.digest, self.description, self.early) = (frame, digest, description, early)
      bitsInUse = frame.bitsInUse
    }
  }

  /// What frames were placed on as they came in.
  enum Base: Sendable {
    /// By their `EarlyPlace.coarse`.
    case origin(BurstIndex)
    /// By their `EarlyPlace.refined`.
    case reference(PreparedReference)
  }

  /// One per input.
  let entries: [Entry]
  let base: Base?
  /// All entries in the order in which they were taken, by which neighbours in time are told.
  let order: [BurstIndex]
  /// Bits that the files' samples have beside those of the frames and that none uses.
  var unusedBits = 0
  /// Bounds the memory of the frames and of what they are converted to.
  let budget: MemoryBudget?

  subscript(index: BurstIndex) -> Entry { entries[index.rawValue] }

  /// All entries, in the inputs' order.
  var indices: [BurstIndex] { entries.indices.map(BurstIndex.init(rawValue:)) }

  /// The frames that could be read, in the order in which they were taken.
  var usable: [BurstIndex] { order.filter { self[$0].outcome.isAccepted } }

  /// The frame that an option names; nil where it names none.
  /// - Throws: `PlateError` where there is no such frame.
  func index(of reference: ReferenceOption) throws(PlateError) -> BurstIndex? {
    switch reference {
    case .auto: return nil
    case .index(let chosen):
      guard entries.indices.contains(chosen) else {
        throw .referenceOutOfRange(index: chosen, count: entries.count)
      }
      return BurstIndex(rawValue: chosen)
    case .name(let name):
      guard let chosen = entries.firstIndex(where: { $0.name == name }) else { throw .noSuchReference(name: name) }
      return BurstIndex(rawValue: chosen)
    }
  }

  /// The frames that could not even be read.
  var leftOut: [PlateError.LeftOut] {
    indices.compactMap { index in
      self[index].outcome.rejection.map { .init(index: index.rawValue, name: self[index].name, reason: $0) }
    }
  }
}

/// A frame that has been described.
struct DescribedFrame: Sendable {
  let index: BurstIndex
  let frame: Frame
  let description: FrameDescription
}
