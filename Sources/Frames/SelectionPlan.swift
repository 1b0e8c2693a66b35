/// Which frames may speak at which place of the reference: what Selection decides and Stacking reads.
///
/// The reference is divided into square cells; cell (i, j) spans luma pixels `i * cell ..< (i + 1) * cell` along x
/// and likewise along y; the last column and row also stand for what lies beyond.
public struct SelectionPlan: Sendable, Hashable {
  /// Luma pixels along a cell's side.
  public let cell: Int
  public let columns: Int
  public let rows: Int
  /// Who may speak: the distinct sets of layers that occur, by position in the list of layers, ascending. The first
  /// is nil: everybody who covers the place.
  public let speakers: [[Int]?]
  /// Per cell, row by row, which of `speakers` holds.
  public let choice: [UInt16]
  /// Per cell, how many of the compared frames show what was chosen, at the cell's worst pixel.
  public let support: [UInt8]
  /// Per cell, whether somebody is left there as far as can be told: no frame shows the place free.
  public let unresolved: [Bool]
  /// How many frames were compared.
  public let compared: Int
  /// The noise of full-size samples, one per plane.
  public let noise: [NoiseLevel]

  public init(
    cell: Int, columns: Int, rows: Int, speakers: [[Int]?], choice: [UInt16], support: [UInt8], unresolved: [Bool],
    compared: Int, noise: [NoiseLevel]
  ) {
    precondition(cell > 0 && choice.count == columns * rows && support.count == columns * rows)
    precondition(unresolved.count == columns * rows)
    precondition(speakers.first == .some(nil) && choice.allSatisfy { $0 < speakers.count })
    self.cell = cell
    self.columns = columns
    self.rows = rows
    self.speakers = speakers
    self.choice = choice
    self.support = support
    self.unresolved = unresolved
    self.compared = compared
    self.noise = noise
  }

  /// The cell that holds a luma pixel, as an index into `choice` and `support`.
  public func index(x: Int, y: Int) -> Int {
    min(y / cell, rows - 1) * columns + min(x / cell, columns - 1)
  }
}

/// The noise of a sensor: the variance of a sample is `constant + slope * sample`, in levels of its depth.
public struct NoiseLevel: Sendable, Hashable {
  public var constant: Double
  public var slope: Double

  public init(constant: Double, slope: Double) {
    self.constant = constant
    self.slope = slope
  }

  /// Of a sample of this value; never negative.
  public func standardDeviation(at sample: Double) -> Double {
    max(constant + slope * sample, 0).squareRoot()
  }
}
