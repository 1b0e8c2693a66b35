package import Frames

/// Everything that stacking needs to know.
package struct StackRequest: Sendable {
  /// The accepted frames, in the order in which they were taken; all of one encoding and depth.
  package var frames: [RegisteredFrame]
  /// Where the plate's samples sit: the reference's subsampling, centred.
  package var grids: [PlaneGrid]
  /// The part of the reference that the plate shows, in reference pixels; x and y are multiples of every grid's
  /// scales.
  package var crop: Region
  package var combine: CombineOperator
  /// Who may speak where, for `clean`; nil lets everybody speak.
  package var plan: SelectionPlan?
  /// Tasks that work at once.
  package var threads: Int

  package init(
    frames: [RegisteredFrame], grids: [PlaneGrid], crop: Region, combine: CombineOperator, plan: SelectionPlan? = nil,
    threads: Int
  ) {
    precondition(!frames.isEmpty && frames.allSatisfy { $0.frame.planes.count == grids.count })
    precondition(grids.allSatisfy { crop.x % $0.scaleX == 0 && crop.y % $0.scaleY == 0 })
    self.frames = frames
    self.grids = grids
    self.crop = crop
    self.combine = combine
    self.plan = plan
    self.threads = threads
  }
}
