package import Frames

extension Frame {
  /// The same picture in another encoding, depth or chroma grid.
  ///
  /// Every sample is rounded once, but where chroma is subsampled after a change of matrix, which goes through
  /// 16 bits. Chroma is interpolated linearly when it gains samples and averaged when it loses them
  /// (`GridResampler`). The colour space that a profile describes stays what it is.
  /// - Throws: `AllocationError`.
  package func converted(to layout: PixelLayout, budget: MemoryBudget? = nil) throws(AllocationError) -> Frame {
    guard layout != self.layout else { return self }
    let planes: [Plane]
    switch (encoding, layout.encoding) {
    case (.grey, .grey), (.rgb, .rgb):
      planes = try resampled(to: layout, budget)
    case (.yCbCr(let a, _), .yCbCr(let b, _)) where a == b:
      planes = try resampled(to: layout, budget)
    case (.yCbCr, .grey):
      planes = [try resample(0, as: layout, plane: 0, budget)]
    case (.grey, .yCbCr):
      var all = [try resample(0, as: layout, plane: 0, budget)]
      for plane in 1...2 {
        let size = layout.grids[plane].planeSize(for: size)
        let neutral = CodeScale(encoding: layout.encoding, plane: plane, bits: layout.bits).code(0)
        all.append(try Plane(width: size.width, height: size.height, bits: layout.bits) { _, _ in neutral })
      }
      planes = all
    case (.grey, .rgb):
      planes = Array(repeating: try resample(0, as: layout, plane: 0, budget), count: 3)
    case (.rgb, .grey), (.rgb, .yCbCr), (.yCbCr, .rgb), (.yCbCr, .yCbCr):
      planes = try recoded(to: layout, nil, budget)
    }
    return Frame(planes: planes, grids: layout.grids, encoding: layout.encoding, name: name, metadata: metadata)
  }

  private func resampled(to layout: PixelLayout, _ budget: MemoryBudget?) throws(AllocationError) -> [Plane] {
    var result: [Plane] = []
    for plane in planes.indices { result.append(try resample(plane, as: layout, plane: plane, budget)) }
    return result
  }

  /// One plane in the code values and on the grid of another layout's plane.
  private func resample(
    _ index: Int, as layout: PixelLayout, plane target: Int, _ budget: MemoryBudget?
  ) throws(AllocationError) -> Plane {
    let from = CodeScale(encoding: encoding, plane: index, bits: bits)
    let to = CodeScale(encoding: layout.encoding, plane: target, bits: layout.bits)
    if grids[index] == layout.grids[target] {
      if encoding == layout.encoding, bits == layout.bits { return planes[index] }
      let table = (0...planes[index].maximum).map { UInt16(to.code(from.value(Double($0)))) }
      return try planes[index].mapped(by: table, bits: layout.bits, budget)
    }
    let resampler = GridResampler(
      planes[index], grid: grids[index], scale: from, to: layout.grids[target], pictureSize: size)
    return try resampler.plane(scale: to, bits: layout.bits, budget: budget)
  }

  /// The same picture with its red, green and blue multiplied, and all else as it is.
  /// - Throws: `AllocationError`.
  package func balanced(by balance: WhiteBalance, budget: MemoryBudget? = nil) throws(AllocationError) -> Frame {
    Frame(
      planes: try recoded(to: layout, balance, budget), grids: grids, encoding: encoding, name: name,
      metadata: metadata)
  }

  /// The way through R, G, B, row by row. There nothing is clipped, so that colours which only R, G, B lacks come through.
  private func recoded(
    to layout: PixelLayout, _ balance: WhiteBalance?, _ budget: MemoryBudget?
  ) throws(AllocationError) -> [Plane] {
    if layout.grids.contains(where: { $0 != .full }) {
      let deep = PixelLayout(encoding: layout.encoding, bits: 16)
      let full = Frame(
        planes: try recoded(to: deep, balance, budget), encoding: deep.encoding, name: name, metadata: metadata)
      return try full.converted(to: layout, budget: budget).planes
    }
    let readers = planes.indices.map {
      GridResampler(
        planes[$0], grid: grids[$0], scale: CodeScale(encoding: encoding, plane: $0, bits: bits), to: .full,
        pictureSize: size)
    }
    let writers = (0..<layout.encoding.planeCount).map {
      CodeScale(encoding: layout.encoding, plane: $0, bits: layout.bits)
    }
    let builders = try PlaneBuilder.builders(of: writers.map { _ in size }, bits: layout.bits, budget: budget)
    var rows = [[Float]](repeating: [Float](repeating: 0, count: size.width), count: 3)
    for y in 0..<size.height {
      for (index, reader) in readers.enumerated() { reader.read(row: y, into: &rows[index]) }
      if case .yCbCr(let matrix, _) = encoding { matrix.decode(&rows) }
      if let balance { rows.multiply(by: balance) }
      switch layout.encoding {
      case .yCbCr(let matrix, _): matrix.encode(&rows)
      case .grey: YCbCrMatrix.bt601.encode(&rows)
      case .rgb: break
      }
      for (index, builder) in builders.enumerated() { writers[index].write(rows[index], to: builder, row: y) }
    }
    return builders.map { $0.finish() }
  }
}

extension Plane {
  /// Every sample looked up in `table`.
  fileprivate func mapped(
    by table: [UInt16], bits target: Int, _ budget: MemoryBudget?
  ) throws(AllocationError) -> Plane {
    let builder = try PlaneBuilder(width: width, height: height, bits: target, budget: budget)
    func map<From: Sample, To: Sample>(_ from: From.Type, _ to: To.Type) {
      let entries = table.map { To(truncatingIfNeeded: $0) }
      // Samples above the significant bits, which only a broken decoder leaves, count as the largest.
      let last = entries.count - 1
      for y in 0..<height {
        let row = builder.row(y, as: To.self)
        withUnsafeRow(y, as: From.self) { samples in
          for x in 0..<samples.count { row[x] = entries[min(Int(samples[x]), last)] }
        }
      }
    }
    switch (bits > 8, target > 8) {
    case (false, false): map(UInt8.self, UInt8.self)
    case (false, true): map(UInt8.self, UInt16.self)
    case (true, false): map(UInt16.self, UInt8.self)
    case (true, true): map(UInt16.self, UInt16.self)
    }
    return builder.finish()
  }
}

extension CodeScale {
  /// Writes values as rounded, clamped code values.
  func write(_ values: [Float], to builder: PlaneBuilder, row y: Int) {
    let (scale, zero, top) = (Float(1 / step), Float(zero) + 0.5, Float(maximum))
    func put<S: Sample>(_ row: UnsafeMutableBufferPointer<S>) {
      values.withUnsafeBufferPointer { values in
        for x in 0..<row.count {
          row[x] = S(truncatingIfNeeded: Int32(min(max(values[x] * scale + zero, 0), top)))
        }
      }
    }
    if builder.bits > 8 { put(builder.row(y, as: UInt16.self)) } else { put(builder.row(y, as: UInt8.self)) }
  }
}

extension [[Float]] {
  /// Rows of red, green and blue.
  fileprivate mutating func multiply(by balance: WhiteBalance) {
    for (index, gain) in balance.gains.enumerated() {
      let gain = Float(gain)
      for x in self[index].indices { self[index][x] *= gain }
    }
  }
}

extension YCbCrMatrix {
  /// Y', Cb, Cr to R', G', B' in place (ITU-R BT.601, BT.709, BT.2020).
  fileprivate func decode(_ rows: inout [[Float]]) {
    let decoding = decoding
    let (crToRed, cbToBlue) = (Float(decoding.crToRed), Float(decoding.cbToBlue))
    let (cbToGreen, crToGreen) = (Float(decoding.cbToGreen), Float(decoding.crToGreen))
    YCbCrMatrix.transform(&rows) { y, cb, cr in
      (y + crToRed * cr, y - cbToGreen * cb - crToGreen * cr, y + cbToBlue * cb)
    }
  }

  /// R', G', B' to Y', Cb, Cr in place.
  fileprivate func encode(_ rows: inout [[Float]]) {
    let (red, blue) = (Float(coefficients.red), Float(coefficients.blue))
    let green = Float(1 - coefficients.red - coefficients.blue)
    let (toCb, toCr) = (Float(0.5 / (1 - coefficients.blue)), Float(0.5 / (1 - coefficients.red)))
    YCbCrMatrix.transform(&rows) { r, g, b in
      let y = red * r + green * g + blue * b
      return (y, (b - y) * toCb, (r - y) * toCr)
    }
  }

  @inline(__always)
  private static func transform(_ rows: inout [[Float]], _ map: (Float, Float, Float) -> (Float, Float, Float)) {
    let count = rows[0].count
    var (first, second, third) = (rows[0], rows[1], rows[2])
    rows = []
    first.withUnsafeMutableBufferPointer { first in
      second.withUnsafeMutableBufferPointer { second in
        third.withUnsafeMutableBufferPointer { third in
          for x in 0..<count { (first[x], second[x], third[x]) = map(first[x], second[x], third[x]) }
        }
      }
    }
    rows = [first, second, third]
  }
}
