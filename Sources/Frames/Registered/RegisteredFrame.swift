/// A frame that takes part in the plate, and how it lies on the reference.
package struct RegisteredFrame: Sendable {
  /// Which of the inputs it is.
  package let index: BurstIndex
  /// Its samples, in the reference's kind.
  package let frame: Frame
  /// How it lies on the reference.
  package let alignment: Alignment

  package init(index: BurstIndex, frame: Frame, alignment: Alignment) {
    self.index = index
    self.frame = frame
    self.alignment = alignment
  }

  /// How long one of its pixels becomes on the reference.
  package var enlargement: Double { alignment.homography.enlargement(of: frame.size) }

  /// Whether it has so many fewer pixels than the reference that the plate would show it.
  package var isEnlarged: Bool { enlargement > 1.05 }
}

extension RegisteredFrame {
  /// A part of it, of the same memory, which lies where it did.
  /// - Parameter region: in the frame's pixels, from a column and a row that are multiples of its grids' scales.
  package func cut(to region: Region) -> RegisteredFrame {
    let planes = zip(frame.planes, frame.grids).map { plane, grid in plane.part(grid.tile(region)) }
    let part = Frame(
      planes: planes, grids: frame.grids, encoding: frame.encoding, name: frame.name, metadata: frame.metadata)
    var alignment = alignment
    let shift = Homography(1, 0, Double(region.x), 0, 1, Double(region.y), 0, 0)
    alignment.homography = (alignment.homography * shift) ?? alignment.homography
    return RegisteredFrame(index: index, frame: part, alignment: alignment)
  }
}

extension [RegisteredFrame] {
  package subscript(position: RegisteredIndex) -> RegisteredFrame { self[position.rawValue] }

  /// The position of one of the inputs; nil where it takes no part.
  package func position(of index: BurstIndex) -> RegisteredIndex? {
    firstIndex { $0.index == index }.map(RegisteredIndex.init(rawValue:))
  }

  /// The same with fields added to what makes their samples comparable.
  /// - Parameter offsets: one field a plane, in levels of 8 bits.
  package func levelled(by offsets: [RegisteredIndex: [SmoothField]]) -> [RegisteredFrame] {
    levelled(byPlace: Dictionary(uniqueKeysWithValues: offsets.map { ($0.rawValue, $1) }))
  }

  /// The same for any list of frames, by places in it.
  package func levelled(byPlace offsets: [Int: [SmoothField]]) -> [RegisteredFrame] {
    enumerated().map { place, registered in
      guard let fields = offsets[place] else { return registered }
      var alignment = registered.alignment
      let unit = Float(1 << (registered.frame.bits - 8))
      for (plane, field) in fields.enumerated() {
        let known = alignment.photometric.channels[plane].offsets
        alignment.photometric.channels[plane].offsets =
          SmoothField(columns: field.columns, rows: field.rows, size: field.size) { p in
            Float(field(p)) * unit + Float(known?(p) ?? 0)
          }
      }
      return RegisteredFrame(index: registered.index, frame: registered.frame, alignment: alignment)
    }
  }
}
