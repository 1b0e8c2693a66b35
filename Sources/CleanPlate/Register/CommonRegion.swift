import Frames
import Stacking

/// The largest rectangle of the reference that all frames show; nil when there is none.
func commonRegion(of frames: [RegisteredFrame], reference: Frame, threads: Int) -> Region? {
  let footprints = frames.compactMap { Footprint(alignment: $0.alignment, frameSize: $0.frame.size) }
  let scales = (x: reference.grids.map(\.scaleX).max() ?? 1, y: reference.grids.map(\.scaleY).max() ?? 1)
  return commonRegion(size: reference.size, footprints: footprints, alignment: scales, threads: threads)
}

/// The share of the plate's area that a single frame may cost.
private let largestCost = 1.0 / 3

/// Leaves frames out that alone would cost too much of what all others have in common, the costliest first.
/// - Returns: the rest, and the region that its frames have in common, as far as that was found out.
func leavingCostlyOnesOut(
  _ registered: RegisteredBurst, of burst: Burst, _ monitor: RunMonitor, threads: Int
) -> (burst: RegisteredBurst, region: Region?) {
  let reference = registered.reference
  var result = registered
  let whole = Double(registered.shown.area)
  while let frames = try? result.frames(of: burst), frames.count > 2 {
    let region = commonRegion(of: frames, reference: reference, threads: threads)
    let area = Double(region?.area ?? 0)
    // Nobody can have cost so much where so much is left.
    guard area < (1 - largestCost) * whole else { return (result, region) }
    let costs = frames.map { frame -> Double in
      guard frame.index != registered.referenceIndex else { return 0 }
      let others = frames.filter { $0.index != frame.index }
      guard let without = commonRegion(of: others, reference: reference, threads: threads) else { return 0 }
      return 1 - area / Double(without.area)
    }
    guard let costliest = costs.indices.max(by: { (costs[$0], $1) < (costs[$1], $0) }),
      costs[costliest] > largestCost
    else { return (result, region) }
    let index = frames[costliest].index
    let reason = Rejection.overlapsTooLittle(cost: costs[costliest], limit: largestCost)
    result.leaveOut(index, reason)
    monitor.tell(.rejected(index: index.rawValue, name: burst[index].name, reason: reason))
  }
  return (result, nil)
}
