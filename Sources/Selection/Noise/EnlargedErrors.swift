import Frames
import Resampling

/// How far off frames are that have fewer pixels than the reference, as multiples of its noise. Enlarged, their noise is
/// smooth and their edges are blurred, of which flat places tell nothing.
///
/// In blocks spread over the reference, the variance of what a frame differs by from the reference is that of both their errors;
/// frames of the reference's resolution have twice its noise there.
/// - Parameter reference: the reference's place among the frames.
/// - Returns: by place among the frames, of those that are enlarged; nothing where no other frame has the reference's resolution.
/// - Throws: `CancellationError`.
func errorsOfEnlarged(
  _ frames: [RegisteredFrame], reference: Int, size: Size, threads: Int
) async throws -> [Int: Double] {
  let enlarged = frames.indices.filter { frames[$0].isEnlarged }
  let full = frames.indices.filter { $0 != reference && !frames[$0].isEnlarged }
  guard !enlarged.isEmpty, !full.isEmpty else { return [:] }
  let witnesses = evenlySpread(mostWitnesses, of: full.count).map { full[$0] }
  let own = frames[reference].frame
  let grid = PlaneGrid.full
  let blocks = blocks(of: grid.planeSize(for: size))
  let compared = (enlarged + witnesses).map { frames[$0] }
  defer { for registered in compared + [frames[reference]] { registered.frame.discardResidentSamples() } }
  let measured = try await mapIndices(count: blocks.count, threads: threads) { index in
    own.bits > 8
      ? variances(of: compared, from: frames[reference], grid, blocks[index], UInt16.self)
      : variances(of: compared, from: frames[reference], grid, blocks[index], UInt8.self)
  }
  let usual = measured.map { block in middle(block[enlarged.count...].compactMap { $0 }) }
  // Far more than is usual is somebody in the reference.
  guard let calm = middle(usual.compactMap { $0 }).map({ $0 * loudest }) else { return [:] }
  var errors: [Int: Double] = [:]
  for (position, place) in enlarged.enumerated() {
    let shown = zip(measured, usual).compactMap { block, usual -> (own: Double, noise: Double)? in
      guard let usual, let variance = block[position], usual <= calm else { return nil }
      return (variance - usual / 2, usual / 2)
    }
    // Nor does somebody in the frame blur it.
    let calmest = shown.sorted { $0.own * $1.noise < $1.own * $0.noise }.prefix((9 * shown.count + 9) / 10)
    let (sum, noise) = calmest.reduce((0.0, 0.0)) { ($0.0 + $1.own, $0.1 + $1.noise) }
    if noise > 0 { errors[place] = max(sum / noise, 0.01).squareRoot() }
  }
  return errors
}

/// Frames of the reference's resolution that tell its noise.
private let mostWitnesses = 8
/// Blocks in which they differ from the reference by this many times the usual variance are left out.
private let loudest = 9.0

/// Of each frame, the variance of what it differs by from the reference in a block of the first plane; nil where they have too little
/// of it in common.
private func variances<S: Sample>(
  of frames: [RegisteredFrame], from reference: RegisteredFrame, _ grid: PlaneGrid, _ block: Region, _ type: S.Type
) -> [Double?] {
  func shown(_ frame: RegisteredFrame) -> (samples: [S], covered: [Bool]) {
    var (samples, covered) = ([S](repeating: 0, count: block.area), [Bool](repeating: false, count: block.area))
    frame.warp(0, grid, block, into: &samples, covered: &covered, at: 0)
    return (samples, covered)
  }
  let own = shown(reference)
  return frames.map { frame in
    let other = shown(frame)
    var (count, sum, squares) = (0, 0, 0)
    for place in 0..<block.area where own.covered[place] && other.covered[place] {
      let difference = Int(other.samples[place]) - Int(own.samples[place])
      count += 1
      sum += difference
      squares += difference * difference
    }
    guard 2 * count > block.area else { return nil }
    let mean = Double(sum) / Double(count)
    return Double(squares) / Double(count) - mean * mean
  }
}

/// The upper middle one; nil of none.
private func middle(_ values: [Double]) -> Double? {
  values.isEmpty ? nil : values.sorted()[values.count / 2]
}
