package import Frames
import Resampling

/// The frames of a burst that are brighter than its reference, so that they clip what others show.
package struct DoubtedFrames: Sendable {
  package let frames: [DoubtedFrame]
  /// By plane of light, the positions of the doubted frames, that which clips last first.
  package let lastFirst: [[Int]]
  /// White, by plane of light.
  private let white: [Int32]
  private let bits: Int

  /// - Parameters:
  ///   - registered: all frames, of one encoding and depth.
  ///   - bits: of the samples of which it is asked, as many as the frames' at most.
  ///   - mayBeDoubted: which of them count.
  package init(
    among registered: [RegisteredFrame], bits: Int, where mayBeDoubted: (RegisteredFrame) -> Bool = { _ in true }
  ) {
    let frame = registered[0].frame
    let planes = frame.encoding.chromaInLight(bits: bits) == nil ? frame.planes.count : 1
    let doubted = registered.enumerated().compactMap { position, frame in
      mayBeDoubted(frame) ? DoubtedFrame(frame, at: position, planes: planes, bits: bits) : nil
    }
    self.bits = bits
    white = (0..<planes).map { Int32(CodeScale(encoding: frame.encoding, plane: $0, bits: bits).code(1)) }
    lastFirst = (0..<planes).map { plane in
      doubted.sorted { ($1.leastWhite[plane], $0.position) < ($0.leastWhite[plane], $1.position) }.map(\.position)
    }
    frames = doubted
  }

  /// By how many levels of 8 bits the brightest colour of some samples is below white.
  /// - Parameter brightness: by plane of light, in its levels.
  package func rooms(above brightness: [[Int32]]) -> [UInt8] {
    var rooms = [UInt8](repeating: .max, count: brightness[0].count)
    for (levels, white) in zip(brightness, white) {
      for x in rooms.indices {
        rooms[x] = min(rooms[x], UInt8(truncatingIfNeeded: min(max(white &- levels[x], 0) &>> Int32(bits - 8), 255)))
      }
    }
    return rooms
  }
}
