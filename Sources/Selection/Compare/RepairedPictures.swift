import CShimKernels
import Clipping
import Frames

extension SmallPictures {
  /// The same where the samples that brighter frames clip have become what most of the others agree on that may be what was
  /// clipped (`cs_repair_clipped`), and the median of those. Else frames exposed for longer would pull the median towards
  /// what they show too dark, and could not speak for what they show as well. Frames that are exposed alike stay as they are.
  /// - Throws: `AllocationError`, `CancellationError`.
  func repaired(_ candidates: Candidates, threads: Int) async throws -> Candidates {
    let doubted = DoubtedFrames(among: frames, bits: 8) {
      !PhotometricMatch.isExposedAlike($0.alignment.photometric.brightness)
    }
    guard !doubted.frames.isEmpty else { return candidates }
    let repair = try ClippedRepair(of: candidates, doubted, self)
    let strip = 16
    try await forEachIndex(count: (size.height + strip - 1) / strip, threads: threads) { index in
      repair.repair(rows: index * strip..<min((index + 1) * strip, size.height))
    }
    let repaired = try await mapIndices(count: candidates.frameCount, threads: threads) { try repair.finished($0) }
    let median = try await medianCandidate(of: repaired, size: size, threads: threads)
    return Candidates(list: repaired + [median], size: size, reference: candidates.reference, chroma: chroma)
  }
}

/// Repairs the frames among some candidates.
private struct ClippedRepair: Sendable {
  /// What becomes of a doubted frame.
  private struct Target: Sendable {
    let planes: [PlaneBuilder]
    /// How little its samples are to be believed, 0...`DoubtedFrame.certain`.
    let doubts: PlaneBuilder
    /// By how many levels light may exceed them.
    let rooms: PlaneBuilder

    init(_ frame: Candidate, size: Size) throws(AllocationError) {
      func builder() throws(AllocationError) -> PlaneBuilder {
        try PlaneBuilder(width: size.width, height: size.height, bits: 8)
      }
      (doubts, rooms) = (try builder(), try builder())
      doubts.clear()
      rooms.clear()
      var planes: [PlaneBuilder] = []
      for plane in frame.planes {
        planes.append(try builder())
        planes[planes.count - 1].fill(from: plane)
      }
      self.planes = planes
    }
  }

  private let candidates: Candidates
  private let pictures: SmallPictures
  private let doubted: DoubtedFrames
  /// By position of their frames.
  private let targets: [Int: Target]

  /// Levels below white up to which what is clipped is nearly right, since samples agree with those within 16, and from which on
  /// it is as little to be believed as its frame.
  private static let room: ClosedRange<Float> = 16...32

  init(of candidates: Candidates, _ doubted: DoubtedFrames, _ pictures: SmallPictures) throws(AllocationError) {
    (self.candidates, self.doubted, self.pictures) = (candidates, doubted, pictures)
    var targets: [Int: Target] = [:]
    for frame in doubted.frames {
      targets[frame.position] = try Target(candidates.list[frame.position], size: pictures.size)
    }
    self.targets = targets
  }

  func repair(rows: Range<Int>) {
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: candidates.frameCount * Int(CS_CLIPPED_SCRATCH) * MemoryLayout<Int32>.stride, alignment: 64)
    defer { scratch.deallocate() }
    let factor = pictures.factor
    let middle = Double(factor - 1) / 2
    var known = doubted.frames.map { $0.row(from: middle, step: Double(factor), count: pictures.size.width) }
    for y in rows {
      var isAnyMarked = false
      for (index, frame) in doubted.frames.enumerated() {
        frame.fill(&known[index], at: Double(y * factor) + middle)
        guard !known[index].isBelieved, let target = targets[frame.position] else { continue }
        mark(target, frame, known[index], row: y)
        isAnyMarked = true
      }
      if isAnyMarked { repair(row: y, scratch) }
    }
  }

  /// Writes how little the samples of a row are to be believed, and how much brighter light may be.
  private func mark(_ target: Target, _ frame: DoubtedFrame, _ known: DoubtedFrame.Row, row y: Int) {
    let brightness = brightness(of: candidates.list[frame.position].planes, row: y)
    let (doubts, rooms) = (frame.doubts(in: known, brightness: brightness), doubted.rooms(above: brightness))
    let (marks, room) = (target.doubts.row(y, as: UInt8.self), Self.room)
    for x in marks.indices {
      let share = (Float(rooms[x]) - room.lowerBound) / (room.upperBound - room.lowerBound)
      marks[x] = (Float(doubts[x]) * min(max(share, 0), 1)).truncatedByte
    }
    _ = target.rooms.row(y, as: UInt8.self).update(fromContentsOf: rooms)
  }

  /// How bright the samples of a row are, or the brightest of their colours, by plane of light in the frames' own order.
  private func brightness(of planes: [Plane], row y: Int) -> [[Int32]] {
    if candidates.hasChroma { return [pictures.brightestColours(planes, row: y)] }
    return planes.indices.sorted { pictures.planeOrder[$0] < pictures.planeOrder[$1] }.map { place in
      planes[place].withUnsafeRow(y, as: UInt8.self) { $0.map { Int32($0) } }
    }
  }

  private func repair(row y: Int, _ scratch: UnsafeMutableRawPointer) {
    let (width, hasChroma) = (Int32(pictures.size.width), candidates.hasChroma)
    let colours = (hasChroma ? 1 : 0)..<candidates.planeCount
    let layout = cs_clipped_layout(
      bits: 8, columns: width, light_step: 1, light_columns: width,
      colours: candidates.planeCount > 1 ? Int32(colours.count) : 0, colour_step: 1, colour_columns: width,
      are_chroma: hasChroma ? 1 : 0)
    // Luma tells who is as bright, so that it comes last.
    for plane in Array(colours) + (hasChroma ? [0] : []) {
      let rows = (0..<candidates.frameCount).map { frame in
        let covered = candidates.list[frame].coverage[y]
        func colour(_ index: Int) -> UnsafeRawPointer? {
          index < colours.count ? UnsafeRawPointer(samples(frame, plane: colours.lowerBound + index, row: y)) : nil
        }
        func row(_ builder: PlaneBuilder) -> UnsafePointer<UInt8> {
          UnsafePointer(builder.row(y, as: UInt8.self).baseAddress!)
        }
        return cs_clipped_row(
          samples: samples(frame, plane: plane, row: y), light: samples(frame, plane: hasChroma ? 0 : plane, row: y),
          colours: (colour(0), colour(1), colour(2)), doubts: targets[frame].map { row($0.doubts) },
          rooms: targets[frame].map { row($0.rooms) }, first: covered.lowerBound, past: covered.upperBound, weight: 1)
      }
      let marked = doubted.lastFirst[hasChroma ? 0 : pictures.planeOrder[plane]].map(Int32.init)
      cs_repair_clipped(rows, Int32(rows.count), marked, Int32(marked.count), layout, scratch)
    }
  }

  /// The samples of a row; those of frames that are to be believed are never written.
  private func samples(_ frame: Int, plane: Int, row y: Int) -> UnsafeMutablePointer<UInt8> {
    if let target = targets[frame] { return target.planes[plane].row(y, as: UInt8.self).baseAddress! }
    return candidates.list[frame].planes[plane].withUnsafeRow(y, as: UInt8.self) {
      UnsafeMutablePointer(mutating: $0.baseAddress!)
    }
  }

  /// A frame, repaired where it was doubted.
  func finished(_ frame: Int) throws(AllocationError) -> Candidate {
    let candidate = candidates.list[frame]
    guard let target = targets[frame] else { return candidate }
    let planes = target.planes.map { $0.finish() }
    return Candidate(
      planes: planes, gradient: try gradient(of: planes[0]), coverage: candidate.coverage, clipped: candidate.clipped,
      clipsColours: candidate.clipsColours, doubts: target.doubts.finish())
  }
}
