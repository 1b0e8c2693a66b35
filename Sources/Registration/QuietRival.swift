import Frames
import ShimSupport

/// Asks what little can be seen of a faint wall whether it moved as those who walk before it did.
///
/// People in step are one motion, and where features show nobody else it has no rival. The wall's shades, which noise hides
/// from features, agree in whitened pictures, where every place has one vote. Clouds agree there, too, but seldom stand still
/// while a camera is aimed anew.
struct QuietRival: Sendable {
  let search: MotionSearch
  /// Motions that features suggest, which have been met: full size.
  let loud: [Homography]

  /// A rival explains this share of what the motion explains. Beside right ones nothing explains more than .32, in 27 bursts;
  /// beside those of people in step, the wall does .36 and more.
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
    guard search.reference.selfSimilarity < RivalMotions.repetition, motion(of: map) > search.limits.shake else {
      return false
    }
    let reference = search.reference.description
    let own = search.coarseSearch.proxy(map)
    for agreement in [
      Agreement(frame: search.frame.whitened, reference: reference.whitened),
      Agreement(frame: search.frame.broad, reference: reference.broad),
    ] {
      let needed = max(Self.share * agreement.correlation(along: own), Self.least)
      for peak in try agreement.peaks(around: own, most: Self.peaks) {
        let rival = search.coarseSearch.fullSize(peak.map)
        guard Self.larger * motion(of: rival) < motion(of: map), agreement.correlation(along: peak.map) > needed,
          !loud.contains(where: { agreement.isSame(search.coarseSearch.proxy($0), peak.map) })
        else { continue }
        return true
      }
    }
    return false
  }

  private func motion(of map: Homography) -> Double {
    search.limits.motion(of: map, frame: search.frame.size, reference: search.reference.description.size)
  }
}
