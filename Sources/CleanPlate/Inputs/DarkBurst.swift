import Codecs
import Frames
import Registration

extension Burst {
  /// Bits that must be left unused for a burst to count as dark: no sample then reaches a quarter of the range.
  fileprivate static let fewestUnused = 2

  /// The burst as it is looked at: where no sample of any frame reaches a quarter of the range, as in 12 bits that are stored
  /// in words or in linear, underexposed pictures, the range ends where the samples do, a power of two, for all frames
  /// alike. What looks at 8 bits of it then sees something. No sample changes, and plates have the whole range again.
  ///
  /// Frames of different kinds are left as they are: conversions between those need the whole range.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func withoutUnusedBits(_ registrar: Registrar, threads: Int) async throws -> Burst {
    let contents = entries.compactMap(\.outcome.value)
    guard let first = contents.first?.frame, let bitsInUse = contents.map(\.bitsInUse).max(),
      first.bits - bitsInUse >= Self.fewestUnused, contents.allSatisfy({ $0.frame.isOfOneKind(with: first) })
    else { return self }
    let described = try await mapIndices(count: entries.count, threads: threads) { index in
      try entries[index].outcome.map { content in
        let frame = content.frame.counted(bits: bitsInUse)
        defer { frame.discardResidentSamples() }
        return Content(
          frame: frame, digest: content.digest,
          description: try registrar.describe(frame, keepingPyramid: budget == nil), early: nil)
      }
    }
    return Burst(
      entries: zip(entries, described).map { Entry(name: $0.name, outcome: $1) }, base: nil, order: order,
      unusedBits: first.bits - bitsInUse, budget: budget)
  }
}

extension Frame {
  fileprivate func isOfOneKind(with other: Frame) -> Bool {
    bits == other.bits && encoding == other.encoding && metadata.iccProfile == other.metadata.iccProfile
  }

  /// The same as it is looked at before others have come, and how many bits, which no sample uses, that leaves out.
  var seenAlone: (frame: Frame, unusedBits: Int) {
    let used = bitsInUse
    return bits - used >= Burst.fewestUnused ? (counted(bits: used), bits - used) : (self, 0)
  }

  /// A small picture at 8 bits of what was looked at without so many bits, as dark as it is.
  /// - Throws: `AllocationError`.
  func darkened(by unusedBits: Int) throws(AllocationError) -> Frame {
    guard unusedBits > 0 else { return self }
    let half = 1 << (unusedBits - 1)
    var dark: [Plane] = []
    for plane in planes {
      dark.append(try Plane(width: plane.width, height: plane.height) { (plane[$0, $1] + half) >> unusedBits })
    }
    return Frame(planes: dark, grids: grids, encoding: encoding, name: name, metadata: metadata)
  }

  /// The same with so many more bits, which no sample uses.
  func withUnusedBits(_ count: Int) -> Frame { counted(bits: bits + count) }
}
