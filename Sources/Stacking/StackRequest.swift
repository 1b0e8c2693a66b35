public import Frames

/// Everything that stacking needs to know.
public struct StackRequest: Sendable {
  /// The accepted frames, in the order in which they were taken; all of one encoding and depth.
  public var layers: [Layer]
  /// Where the plate's samples sit: the reference's subsampling, centred.
  public var grids: [PlaneGrid]
  /// The part of the reference that the plate shows, in reference pixels; x and y are multiples of every grid's
  /// scales.
  public var crop: Region
  public var combine: CombineOperator
  /// Who may speak where, for `clean`; nil lets everybody speak.
  public var plan: SelectionPlan?
  /// Tasks that work at once.
  public var threads: Int

  public init(
    layers: [Layer], grids: [PlaneGrid], crop: Region, combine: CombineOperator, plan: SelectionPlan? = nil,
    threads: Int
  ) {
    precondition(!layers.isEmpty && layers.allSatisfy { $0.frame.planes.count == grids.count })
    precondition(grids.allSatisfy { crop.x % $0.scaleX == 0 && crop.y % $0.scaleY == 0 })
    self.layers = layers
    self.grids = grids
    self.crop = crop
    self.combine = combine
    self.plan = plan
    self.threads = threads
  }
}
