import Frames

/// Places where nothing stands still, such as branches in the wind and waves: every photo shows them a little different, so that
/// the reference departs from the median as most photos do, and its own details are as true as any.
///
/// With the median in some cells, and one photo or another in those beside them, branches would be washed out, and twigs end
/// where photos meet.
struct RestlessPlaces: Sendable {
  let candidates: Candidates
  let noise: [ComparedNoise]
  /// Whom a detector saw; nil when none looked.
  let detections: Detections?
  /// Who shows streaks of rain or flakes of snow; nil where there are none.
  let precipitation: Precipitation?

  /// Times as far as the middle one of the others that the reference usually departs from the median, at most.
  private static let usual = Float(2).squareRoot()
  /// As far as it may depart at all. Beyond that, it may be somebody whom the detector misses.
  private static let farthest: Float = 5.0 / 3
  /// Of a region's cells, in which the reference must depart as usual.
  private static let most = 0.5
  /// Cells of a region that is too small to be anybody's shadow, where the reference departs far in none: any other photo would be
  /// seen as a square in it.
  private static let few = 4

  /// How far the reference departs from the median, beside the others.
  enum Departure {
    case usual, near, far
  }

  /// By cell of a region, whether the reference's details can be kept: in none, unless it departs as usual in most, or hardly in
  /// a few.
  static func keepsReference(_ departures: some Collection<Departure>) -> [Bool] {
    let isRestless =
      Double(departures.count { $0 == .usual }) >= most * Double(departures.count)
      || departures.count <= few && !departures.contains(.far)
    return departures.map { isRestless && $0 != .far }
  }

  /// How far the reference departs in a cell.
  func departure(in cell: Int) -> Departure {
    guard !isAnybodySeen(around: cell), let own = candidates.departure(of: candidates.reference, cell: cell, noise),
      own <= Self.farthest, precipitation?.isShown(by: candidates.reference, in: cell) != true
    else { return .far }
    let others = (0..<candidates.frameCount).filter {
      $0 != candidates.reference && candidates.coversAround(cell, frame: $0)
    }
    // Of two frames, either departs as far.
    guard others.count > 1 else { return .near }
    // The middle one departs far enough unless more than half of them depart less; the rest need not be asked.
    var (more, less) = (others.count / 2 + 1, (others.count + 1) / 2)
    for frame in others where more > 0 && less > 0 {
      guard let departure = candidates.departure(of: frame, cell: cell, noise) else { continue }
      if own <= Self.usual * departure { more -= 1 } else { less -= 1 }
    }
    return more == 0 ? .usual : .near
  }

  /// Whether somebody is seen in any frame within a cell of a cell: frames depart for his sake.
  private func isAnybodySeen(around cell: Int) -> Bool {
    guard let detections else { return false }
    let (left, top) = candidates.grid.origin(of: cell)
    let offsets = [-CellGrid.side, CellGrid.side / 2, 2 * CellGrid.side]
    return offsets.contains { v in
      let y = min(max(top + v, 0), candidates.size.height - 1)
      return offsets.contains { u in
        detections.isAnybody(x: min(max(left + u, 0), candidates.size.width - 1), y: y)
      }
    }
  }
}
