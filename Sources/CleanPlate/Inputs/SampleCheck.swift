import Codecs
import Frames

extension Frame {
  /// The frame as it was handed over, if its samples can be looked up.
  var checked: FrameOutcome<Frame> {
    do {
      try checkSamples()
      return .accepted(self)
    } catch {
      return .rejected(.unreadable(reason: error.words))
    }
  }

  /// Makes sure of frames that somebody else made what decoders make sure of: look-ups go by the samples.
  /// - Throws: `CodecError.damaged` for a sample that exceeds the frame's depth.
  func checkSamples() throws(CodecError) {
    guard (9...15).contains(bits) else { return }
    for plane in planes {
      for y in 0..<plane.height {
        let largest = plane.withUnsafeRow(y, as: UInt16.self) { $0.reduce(0, max) }
        guard largest <= plane.maximum else {
          throw .damaged(name: name, detail: "a sample is \(largest), more than \(bits) bits hold")
        }
      }
    }
  }
}
