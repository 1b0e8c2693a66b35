import Frames

extension Candidates {
  /// The same with the frames' colours brought to the reference's by fields, and the median of those.
  /// - Throws: `AllocationError`, `CancellationError`.
  func levelled(by fields: ColourFields, threads: Int) async throws -> Candidates {
    guard fields.frames.contains(where: { $0 != nil }) else { return self }
    let frames = try await mapIndices(count: frameCount, threads: threads) { index in
      guard let fields = fields.frames[index] else { return list[index] }
      return try list[index].levelled(by: fields)
    }
    let median = try await medianCandidate(of: frames, size: size, threads: threads)
    return Candidates(list: frames + [median], size: size, reference: reference, hasChroma: hasChroma)
  }
}

extension Candidate {
  fileprivate func levelled(by fields: [BlockField]) throws -> Candidate {
    let levelled = try zip(planes, fields).enumerated().map { index, pair in
      let (plane, field) = pair
      let builder = try PlaneBuilder(width: plane.width, height: plane.height, bits: 8)
      // What may be clipped is so in any light.
      let clipped = index == 0 ? UInt8(min(max(saturation.rounded(.up), 0), 255)) : .max
      for y in 0..<plane.height {
        let target = builder.row(y, as: UInt8.self)
        plane.withUnsafeRow(y, as: UInt8.self) { row in
          field.forEachSpan(row: y) { columns, first, step in
            for x in columns {
              let sample = row[x]
              let value = UInt8(
                min(max(Float(sample) + first + step * Float(x &- columns.lowerBound), 0), 255).rounded())
              target[x] = sample >= clipped ? max(value, clipped) : value
            }
          }
        }
      }
      return builder.finish()
    }
    return Candidate(
      planes: levelled, gradient: try Selection.gradient(of: levelled[0]), coverage: coverage, saturation: saturation)
  }
}
