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
    return Candidates(list: frames + [median], size: size, reference: reference, chroma: chroma)
  }
}

extension Candidate {
  fileprivate func levelled(by fields: [BlockField]) throws -> Candidate {
    let levelled = try zip(planes, fields).map { plane, field in
      let builder = try PlaneBuilder(width: plane.width, height: plane.height, bits: 8)
      var rows = BlockFieldRows(field)
      var offsets = [Float](repeating: 0, count: plane.width)
      for y in 0..<plane.height {
        offsets.withUnsafeMutableBufferPointer { offsets in
          rows.write(row: y, into: offsets)
          plane.withUnsafeRow(y, as: UInt8.self) { row in
            level(row, by: UnsafeBufferPointer(offsets), into: builder.row(y, as: UInt8.self))
          }
        }
      }
      return builder.finish()
    }
    return Candidate(
      planes: levelled, gradient: try Selection.gradient(of: levelled[0]), coverage: coverage, clipped: clipped,
      clipsColours: clipsColours)
  }
}

/// Moves samples by offsets.
private func level(
  _ samples: UnsafeBufferPointer<UInt8>, by offsets: UnsafeBufferPointer<Float>,
  into target: UnsafeMutableBufferPointer<UInt8>
) {
  for x in 0..<samples.count {
    target[x] = (min(max(Float(samples[x]) + offsets[x], 0), 255) + 0.5).truncatedByte
  }
}
