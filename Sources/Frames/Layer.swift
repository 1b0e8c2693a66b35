/// A frame that takes part in the plate, and how it lies on the reference.
public struct Layer: Sendable {
  public let frame: Frame
  public let alignment: Alignment

  public init(frame: Frame, alignment: Alignment) {
    self.frame = frame
    self.alignment = alignment
  }
}
