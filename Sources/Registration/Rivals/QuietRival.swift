import Frames
import ShimSupport

/// Asks what little can be seen of a faint wall whether it moved as those who walk before it did.
///
/// People in step are one motion, and where features show nobody else it has no rival. The wall's shades, which noise hides
/// from features, agree in whitened pictures, where every place has one vote. So do clouds, but above what stands: the wall
/// also shows between the people and below.
struct QuietRival: Sendable {
  let search: MotionSearch
  /// Motions that features suggest, which have been met: full size.
  let loud: [Homography]

  /// A rival agrees this much as well as the motion, where the lower half of what the motion explains is.
  private static let share = 0.4
  /// The correlation below which nothing is seen.
  private static let least = 0.1
  /// How many times as large as a rival's a motion is that may be a walker's.
  private static let larger = 1.5
  /// Peaks that are looked at.
  private static let peaks = 8

  /// Whether a clearly smaller motion explains a part of the picture that is not much smaller.
  /// - Parameter map: frame to reference, full size; a hand's shake is not asked about.
  func exists(beside map: Homography) throws(ShimError) -> Bool {
    guard !search.reference.repetition.isFound, motion(of: map) > search.limits.shake else {
      return false
    }
    let reference = search.reference.description
    let own = search.coarseSearch.proxy(map)
    for agreement in [
      Agreement(frame: search.frame.whitened, reference: reference.whitened),
      Agreement(frame: search.frame.broad, reference: reference.broad),
    ] {
      let rows = agreement.rows(along: own)
      let middle = Self.middle(of: rows)
      let needed = max(Self.share * Self.correlation(of: rows, from: middle), Self.least)
      for peak in try agreement.peaks(around: own, most: Self.peaks) {
        let rival = search.coarseSearch.fullSize(peak.map)
        guard Self.larger * motion(of: rival) < motion(of: map),
          Self.correlation(of: agreement.rows(along: peak.map), from: middle) > needed,
          !loud.contains(where: { agreement.isSame(search.coarseSearch.proxy($0), peak.map) })
        else { continue }
        return true
      }
    }
    return false
  }

  /// The row above which half of what agrees is.
  private static func middle(of rows: [Agreement.Sums]) -> Int {
    let whole = rows.reduce(0) { $0 + $1.product }
    var above = 0
    return rows.firstIndex { row in
      above += row.product
      return 2 * above >= whole
    } ?? 0
  }

  private static func correlation(of rows: [Agreement.Sums], from first: Int) -> Double {
    rows.dropFirst(first).reduce(Agreement.Sums(), +).correlation
  }

  private func motion(of map: Homography) -> Double {
    search.limits.motion(of: map, frame: search.frame.size, reference: search.reference.description.size)
  }
}
