import Frames
import ShimSupport

/// Picks the frame in whose camera the result is drawn: sharp, and near the middle of the poses so that little is
/// cropped.
public struct ReferenceChoice: Sendable {
  /// The share of the burst's 80th percentile of sharpness that a reference must have, if any frame has it.
  public var leastSharpness = 0.8
  private let registrar: Registrar

  public init(registrar: Registrar) {
    self.registrar = registrar
  }

  /// - Parameters:
  ///   - frames: the burst.
  ///   - laplacians: one per frame.
  ///   - threads: tasks that may run at once; the choice does not depend on it.
  /// - Returns: the chosen frame's place in the burst.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  public func choose(among frames: [FrameDescription], laplacians: [LaplacianMoments], threads: Int) async throws
    -> Int
  {
    guard frames.count > 2 else { return frames.count == 2 && laplacians[1].variance > laplacians[0].variance ? 1 : 0 }
    let placed = try await poses(frames, threads: threads)
    let known = frames.indices.filter { placed.homographies[$0] != nil }
    let measured = commonSharpness(
      known.map { (laplacians[$0], placed.homographies[$0]!, 1) }, reference: frames[placed.origin].size)
    let sharpness = measured ?? known.map { laplacians[$0].variance }
    let needed = leastSharpness * percentile(sharpness, 0.8)
    // The middle of the poses: for each corner, the median of where the frames put it.
    let corners = known.map { i in frames[i].size.corners.map(placed.homographies[i]!.callAsFunction) }
    let middle = (0..<4).map { c in Point(x: median(corners.map { $0[c].x }), y: median(corners.map { $0[c].y })) }
    let distances = corners.map { zip($0, middle).map { $0.distance(to: $1) }.reduce(0, +) / 4 }
    let width = Double(frames[placed.origin].size.width)
    func score(_ i: Int) -> Double {
      // A tenth of sharpness is worth a shift of one percent of the width.
      let blur = max(0, 1 - sharpness[i] / max(needed / leastSharpness, 1e-9))
      return distances[i] / width + 0.1 * blur + (sharpness[i] < needed ? 10 * (1 + blur) : 0)
    }
    let best = known.indices.min { (score($0), $0) < (score($1), $1) } ?? known.startIndex
    return known.isEmpty ? 0 : known[best]
  }

  private struct Poses {
    /// The frame that the poses are relative to.
    var origin: Int
    /// Frame to origin, full-size pixels, to about a pixel; nil for frames that do not fit.
    var homographies: [Homography?]
  }

  /// Tries frames from the middle of the burst outwards as origin until most others can be placed.
  private func poses(_ frames: [FrameDescription], threads: Int) async throws -> Poses {
    let count = frames.count
    let registrar = registrar
    var best = Poses(origin: 0, homographies: [])
    var bestPlaced = -1
    for origin in [count / 2, count / 4, 3 * count / 4, 0, count - 1] {
      let found = try await mapIndices(count: count, threads: threads) { i in
        i == origin ? Homography.identity : try registrar.coarseHomography(of: frames[i], to: frames[origin])
      }
      let placed = found.count { $0 != nil }
      if placed > bestPlaced { (best, bestPlaced) = (Poses(origin: origin, homographies: found), placed) }
      if placed > count / 2 + 1 || placed == count { break }
    }
    return best
  }
}

extension Registrar {
  /// How a frame lies on another, from matched features alone: to about a pixel of the proxy, in full-size pixels.
  /// - Returns: nil when the two do not fit.
  fileprivate func coarseHomography(of frame: FrameDescription, to reference: FrameDescription)
    throws(ShimError) -> Homography?
  {
    if model == .none { return .identity }
    let search = candidates(of: frame, on: reference)
    guard case .success(let candidates) = try search.candidates() else { return nil }
    return search.fullSize(candidates[0].map)
  }
}
