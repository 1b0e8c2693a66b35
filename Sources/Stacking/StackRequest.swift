public import Frames

/// A frame that takes part in the plate, and how it lies on the reference.
public struct Layer: Sendable {
  public let frame: Frame
  public let alignment: Alignment

  public init(frame: Frame, alignment: Alignment) {
    self.frame = frame
    self.alignment = alignment
  }
}

/// Everything that stacking needs to know.
public struct StackRequest: Sendable {
  /// The accepted frames, in the burst's order; all of one encoding and depth.
  public var layers: [Layer]
  /// Where the plate's samples sit: the reference's subsampling, centred.
  public var grids: [PlaneGrid]
  /// The part of the reference that the plate shows, in reference pixels; x and y are multiples of every grid's
  /// scales.
  public var crop: Region
  public var combine: CombineOperator
  /// Tasks that work at once.
  public var threads: Int

  public init(layers: [Layer], grids: [PlaneGrid], crop: Region, combine: CombineOperator, threads: Int) {
    precondition(!layers.isEmpty && layers.allSatisfy { $0.frame.planes.count == grids.count })
    precondition(grids.allSatisfy { crop.x % $0.scaleX == 0 && crop.y % $0.scaleY == 0 })
    self.layers = layers
    self.grids = grids
    self.crop = crop
    self.combine = combine
    self.threads = threads
  }
}
