import Foundation
import Frames
import SystemPackage

/// Shots of one camera and size in the order in which they were taken, and the time between neighbours.
struct Timeline: Sendable {
  private(set) var shots: [CardShot]
  /// Seconds from the shot before; nil where clocks do not tell, infinite for the first.
  private(set) var gaps: [Double?]

  /// Shots of a card by camera, size, and whether the camera told when.
  ///
  /// Cameras number what they take. Where a number follows on another and the clock goes backwards, somebody has set it, and
  /// time goes on there as if nobody had; that two shots are neighbours is then told by their numbers.
  /// - Parameter gap: seconds by which a clock must go backwards to have been set.
  static func timelines(of shots: [CardShot], gap: Double) -> [Timeline] {
    let tracks = Dictionary(grouping: shots, by: Track.init)
    return tracks.keys.sorted().compactMap { key in tracks[key].map { Timeline($0, gap: gap) } }
  }

  private struct Track: Hashable, Comparable {
    let camera: String
    let isTimed: Bool
    let size: Size

    init(_ shot: CardShot) {
      (camera, isTimed) = (shot.camera, shot.isTimed)
      size = Size(width: max(shot.size.width, shot.size.height), height: min(shot.size.width, shot.size.height))
    }

    static func < (a: Self, b: Self) -> Bool {
      func key(_ track: Self) -> (Int, String, Int, Int) {
        (track.isTimed ? 0 : 1, track.camera, track.size.width, track.size.height)
      }
      return key(a) < key(b)
    }
  }

  private init(_ shots: [CardShot], gap: Double) {
    let named = shots.sorted { BurstFiles.naturalOrder($0.seen, $1.seen) }
    // Offsets say something only where every shot has one.
    let isUniversal = shots.allSatisfy { $0.offset != nil }
    func moment(_ shot: CardShot) -> Double { shot.moment - (isUniversal ? shot.offset ?? 0 : 0) }
    guard let first = named.first, first.isTimed else {
      // Files are copied in any order; numbers tell better than their times in which they were taken.
      let isNumbered = named.allSatisfy { $0.series != nil }
      let byTime = named.enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }
      let ordered = isNumbered ? named : byTime.map(\.element)
      self.shots = ordered
      gaps = ordered.indices.map { i in i == 0 ? .infinity : abs(ordered[i].moment - ordered[i - 1].moment) }
      return
    }
    // What has to be added to the clock since it was set, in each folder: there, time goes on where it stood.
    var shifts = [Double](repeating: 0, count: named.count)
    var isSet = [Bool](repeating: false, count: named.count)
    func time(_ i: Int) -> Double { moment(named[i]) + shifts[i] }
    for i in named.indices.dropFirst() {
      let (shot, before) = (named[i], named[i - 1])
      guard shot.seen.removingLastComponent() == before.seen.removingLastComponent() else { continue }
      isSet[i] = Self.follows(shot, before) && moment(shot) < moment(before) - gap
      shifts[i] = isSet[i] ? time(i - 1) - moment(shot) : shifts[i - 1]
    }
    let order = named.indices.sorted { (time($0), $0) < (time($1), $1) }
    self.shots = order.map { named[$0] }
    gaps = order.indices.map { i in
      guard i > 0 else { return .infinity }
      return isSet[order[i]] ? nil : time(order[i]) - time(order[i - 1])
    }
  }

  private static func follows(_ shot: CardShot, _ before: CardShot) -> Bool {
    guard let number = shot.series, let earlier = before.series else { return false }
    return number.follows(earlier)
  }

  /// Stretches of shots that follow on each other within a time.
  func stretches(gap: Double) -> [Range<Int>] {
    var starts = shots.indices.filter { i in gaps[i].map { $0 > gap } ?? false }
    starts.append(shots.count)
    return zip(starts, starts.dropFirst()).map { $0..<$1 }
  }
}
