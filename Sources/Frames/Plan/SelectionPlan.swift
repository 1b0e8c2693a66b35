/// Which frames may speak at which place of the reference: what Selection decides and Stacking reads.
///
/// The reference is divided into square cells; cell (i, j) spans luma pixels `i * cell ..< (i + 1) * cell` along x
/// and likewise along y; the last column and row also stand for what lies beyond.
public struct SelectionPlan: Sendable, Hashable {
  /// Luma pixels along a cell's side.
  public let cell: Int
  /// Cells side by side.
  public let columns: Int
  /// Cells one above another.
  public let rows: Int
  /// Whose samples count: what occurs, each once. The first is `everybody`.
  public let sourceSets: [SourceSet]
  /// Per cell, row by row, which of `sourceSets` holds.
  public let choice: [UInt16]
  /// Per cell, how many of the compared frames show what was chosen, at the cell's worst pixel.
  public let support: [UInt8]
  /// Per cell, whether somebody is left there as far as can be told: no frame shows the place free.
  public let unresolved: [Bool]
  /// How many frames were compared.
  public let compared: Int
  /// The noise of full-size samples, one per plane.
  public let noise: [NoiseLevel]
  /// How far off frames are that have fewer pixels than the reference, as multiples of its noise; of others nothing is known.
  package let enlargedErrors: [RegisteredIndex: Double]
  /// What is added to frames, so that they have the reference's colours: one field a
  /// plane, in levels of 8 bits. Frames that need nothing are left out.
  package let colourOffsets: [RegisteredIndex: [SmoothField]]
  /// What is added along seams; nil for nothing.
  package let membrane: Membrane?

  /// A plan of `columns * rows` cells.
  package init(
    cell: Int, columns: Int, rows: Int, sourceSets: [SourceSet], choice: [UInt16], support: [UInt8], unresolved: [Bool],
    compared: Int, noise: [NoiseLevel], enlargedErrors: [RegisteredIndex: Double] = [:],
    colourOffsets: [RegisteredIndex: [SmoothField]] = [:], membrane: Membrane? = nil
  ) {
    precondition(cell > 0 && choice.count == columns * rows && support.count == columns * rows)
    precondition(unresolved.count == columns * rows)
    precondition(membrane?.values.allSatisfy { $0.count == columns * rows } ?? true)
    precondition(sourceSets.first == .everybody && choice.allSatisfy { $0 < sourceSets.count })
    self.cell = cell
    self.columns = columns
    self.rows = rows
    self.sourceSets = sourceSets
    self.choice = choice
    self.support = support
    self.unresolved = unresolved
    self.compared = compared
    self.noise = noise
    self.enlargedErrors = enlargedErrors
    self.colourOffsets = colourOffsets
    self.membrane = membrane
  }

  /// The cell that holds a luma pixel, as an index into `choice` and `support`.
  public func index(x: Int, y: Int) -> Int {
    min(y / cell, rows - 1) * columns + min(x / cell, columns - 1)
  }

  /// What was decided about a frame at a place.
  package enum Belief: Sendable, Hashable {
    /// Nothing: everybody may speak.
    case open
    /// The place was contested, and the frame is among those that speak.
    case believed
    /// The place was contested, and others speak.
    case doubted
  }

  /// What was decided, at each of `sourceSets`, about a frame, one of those compared.
  package func beliefs(in frame: RegisteredIndex) -> [Belief] {
    sourceSets.map { $0.frames.map { $0.contains(frame) ? .believed : .doubted } ?? .open }
  }
}

/// Whose samples count at a place.
public struct SourceSet: Sendable, Hashable {
  /// Ascending; nil: everybody who covers the place.
  public var frames: [RegisteredIndex]?
  /// The frame among them whose details are kept, since it shows the same as the others; nil where only their median
  /// is known to be free.
  public var detailFrame: RegisteredIndex?

  /// The frames whose samples count, all for nil, and the one whose details do.
  package init(frames: [RegisteredIndex]?, detailFrame: RegisteredIndex? = nil) {
    self.frames = frames
    self.detailFrame = detailFrame
  }

  /// All frames count.
  package static let everybody = SourceSet(frames: nil)
}

/// The noise of a sensor: the variance of a sample is `constant + slope * sample`, in levels of its depth.
public struct NoiseLevel: Sendable, Hashable {
  /// The variance at black, in levels squared.
  public var constant: Double
  /// What it grows by with each level.
  public var slope: Double

  /// `constant + slope * level`.
  package init(constant: Double, slope: Double) {
    self.constant = constant
    self.slope = slope
  }

  /// Of a sample of this value; never negative.
  public func standardDeviation(at sample: Double) -> Double {
    max(constant + slope * sample, 0).squareRoot()
  }
}
