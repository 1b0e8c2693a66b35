extension Plane {
  /// The fewest significant bits, 9 at least, that hold every sample; those of the plane where it has 8, or where a bit less
  /// would not do, which shows after a look at few samples.
  package var bitsInUse: Int {
    guard bits > 9 else { return bits }
    var all: UInt16 = 0
    for y in 0..<height {
      all |= withUnsafeRow(y, as: UInt16.self) { $0.reduce(0, |) }
      if Int(all) > maximum / 2 { return bits }
    }
    return max(UInt16.bitWidth - all.leadingZeroBitCount, 9)
  }

  /// The same samples as numbers of so many significant bits, 9 or more, of which no sample needs more.
  fileprivate func counted(bits: Int) -> Plane {
    precondition(self.bits > 8 && (9...16).contains(bits))
    return Plane(
      width: width, height: height, bits: bits, stride: stride, storage: storage, offset: offset, byteCount: byteCount)
  }
}

extension Frame {
  /// The fewest significant bits that hold every sample of colours that begin at 0; those of the frame in other encodings.
  package var bitsInUse: Int {
    switch encoding {
    case .rgb, .grey(.full): planes.reduce(0) { max($0, $1.bitsInUse) }
    case .yCbCr, .grey(.limited): bits
    }
  }

  /// The same samples as numbers of so many significant bits: what was the largest sample becomes another, and all is
  /// brighter or darker by that factor.
  /// - Parameter bits: 9 or more where the frame has more than 8, so many that they hold every sample.
  package func counted(bits: Int) -> Frame {
    guard bits != self.bits else { return self }
    return Frame(
      planes: planes.map { $0.counted(bits: bits) }, grids: grids, encoding: encoding, name: name, metadata: metadata)
  }
}
