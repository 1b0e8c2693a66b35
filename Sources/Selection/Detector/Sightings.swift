import Synchronization

/// Somebody who was found, and his outline if he was outlined.
struct Seen: Sendable {
  let detection: Detection
  var outline: Outline?
}

/// Who has been seen so far by tasks that look at frames, window by window, and outline whom they found there.
///
/// Of a frame that has been looked through people can be outlined while others are still being looked at: so nobody waits
/// for the last window.
final class Sightings: Sendable {
  /// Somebody who waits to be outlined.
  struct Waiting: Sendable {
    let frame: Int
    let place: Int
    let detection: Detection
  }

  private struct State {
    /// By frame and window.
    var found: [[[Detection]?]]
    /// By frame, once it has been looked through.
    var seen: [[Seen]]
    var waiting: [Waiting] = []
  }

  private let overlap: Float?
  private let state: Mutex<State>

  /// - Parameter overlap: boxes that overlap by more than this share are outlined once; nil where nobody is outlined.
  init(frames: Int, windows: Int, outlined overlap: Float?) {
    self.overlap = overlap
    state = Mutex(
      State(
        found: Array(repeating: Array(repeating: nil, count: windows), count: frames),
        seen: Array(repeating: [], count: frames)))
  }

  /// Takes in who was found in one window of a frame.
  func add(_ found: [Detection], window: Int, frame: Int) {
    let all = state.withLock { state -> [Detection]? in
      state.found[frame][window] = found
      let windows = state.found[frame].compactMap(\.self)
      return windows.count == state.found[frame].count ? windows.flatMap(\.self) : nil
    }
    guard let all else { return }
    let distinct = overlap.map { surest(all, overlap: $0, count: all.count) } ?? all
    state.withLock { state in
      state.seen[frame] = distinct.map { Seen(detection: $0) }
      guard overlap != nil else { return }
      state.waiting += distinct.enumerated().map { Waiting(frame: frame, place: $0, detection: $1) }
    }
  }

  /// Who is to be outlined next; nil when nobody waits.
  func next() -> Waiting? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Takes in an outline.
  func add(_ outline: Outline?, of somebody: Waiting) {
    state.withLock { $0.seen[somebody.frame][somebody.place].outline = outline }
  }

  /// Everybody, frame by frame.
  var all: [[Seen]] { state.withLock(\.seen) }
}
