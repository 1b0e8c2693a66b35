/// A frame that takes part in the plate, and how it lies on the reference.
public struct Layer: Sendable {
  /// The frame as it was decoded.
  public let frame: Frame
  /// How it lies on the reference.
  public let alignment: Alignment

  /// A frame and how it lies.
  public init(frame: Frame, alignment: Alignment) {
    self.frame = frame
    self.alignment = alignment
  }
}

extension [Layer] {
  /// The same with fields added to what makes their samples comparable.
  /// - Parameter offsets: by position, one field a plane, in levels of 8 bits.
  package func levelled(by offsets: [Int: [SmoothField]]) -> [Layer] {
    enumerated().map { position, layer in
      guard let fields = offsets[position] else { return layer }
      var alignment = layer.alignment
      let unit = Float(1 << (layer.frame.bits - 8))
      for (plane, field) in fields.enumerated() {
        let known = alignment.photometric.channels[plane].offsets
        alignment.photometric.channels[plane].offsets =
          SmoothField(columns: field.columns, rows: field.rows, size: field.size) { p in
            Float(field(p)) * unit + Float(known?(p) ?? 0)
          }
      }
      return Layer(frame: layer.frame, alignment: alignment)
    }
  }
}
