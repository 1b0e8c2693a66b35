import Frames

/// How surely somebody is seen at each pixel of the frames that were looked at.
struct Detections: Sendable {
  /// 0...255, by frame; nil for those that were not looked at.
  private let certainty: [Plane?]
  private let looked: CandidateSet

  /// - Parameter certainty: 0...255, one plane per frame; nil for one that was not looked at.
  init(certainty: [Plane?]) {
    self.certainty = certainty
    looked = certainty.indices.reduce(0) { certainty[$1] == nil ? $0 : $0 | CandidateSet(only: $1) }
  }

  /// Whether somebody is seen at a pixel of any frame.
  func isAnybody(x: Int, y: Int) -> Bool { certainty.contains { ($0?.byte(x, y) ?? 0) > 0 } }

  /// How surely somebody is seen in some frames, on average over those that were looked at, 0...1; 0 where none was.
  func mean(over frames: CandidateSet, x: Int, y: Int) -> Float {
    let seen = sum(over: frames, x: x, y: y)
    return seen.frames == 0 ? 0 : Float(seen.certainty) / Float(255 * seen.frames)
  }

  /// How surely somebody stands there where some frames show the same, 0...1.
  ///
  /// Detectors miss people: that nobody is seen in one frame says little then, that nobody is in several which show the same
  /// says more. So the mean is taken with up to one frame in addition, in which it is as usual.
  /// - Parameters:
  ///   - usual: the mean over all frames that show the place.
  ///   - doubt: the additional frame's weight.
  func expectation(for frames: CandidateSet, usual: Float, doubt: Float, x: Int, y: Int) -> Float {
    let seen = sum(over: frames, x: x, y: y)
    guard seen.frames > 0 else { return usual }
    return (Float(seen.certainty) / 255 + doubt * usual) / (Float(seen.frames) + doubt)
  }

  /// How surely somebody is seen in some frames, in all, in 255ths, and how many of them were looked at.
  func sum(over frames: CandidateSet, x: Int, y: Int) -> (certainty: Int, frames: Int) {
    let frames = frames & looked
    var sum = 0
    frames.visit { sum += Int(certainty[$0]?.byte(x, y) ?? 0) }
    return (sum, frames.nonzeroBitCount)
  }
}

extension Plane {
  @inline(__always)
  fileprivate func byte(_ x: Int, _ y: Int) -> UInt8 {
    withUnsafeBytes { $0.load(fromByteOffset: y &* stride &+ x, as: UInt8.self) }
  }
}

/// Somebody found in a picture.
struct Detection: Sendable, Hashable {
  /// In pixels; may reach beyond the picture.
  var box: Region
  /// 0...1.
  var score: Float
}
