package import Frames

/// Which frames of a video to take: one for every stretch of it, the sharpest there.
public struct FrameChoice: Sendable, Hashable {
  /// The length of a stretch, in seconds; nil for as short as `maximum` allows.
  /// What is negative counts as 0.
  public var every: Double? { didSet { every = Self.valid(every) } }
  /// At most this many frames, evenly spread; what is less than 1 counts as 1.
  public var maximum: Int? { didSet { maximum = Self.valid(maximum) } }

  /// All frames, unless a length in seconds, positive, or a largest number, 1 or more, is given.
  public init(every: Double? = nil, maximum: Int? = nil) {
    (self.every, self.maximum) = (Self.valid(every), Self.valid(maximum))
  }

  private static func valid(_ every: Double?) -> Double? { every.map { max($0, 0) } }
  private static func valid(_ maximum: Int?) -> Int? { maximum.map { max($0, 1) } }
}

/// Reads a video to its end and keeps what `choice` asks for.
///
/// Where the length is unknown, stretches double and neighbours merge whenever there are twice too many, so that
/// never more than `2 * maximum` frames are held.
/// - Parameters:
///   - source: the video.
///   - choice: which frames to keep.
///   - sharpness: larger for sharper frames; called once per frame.
///   - progress: is told how many frames have been read.
/// - Throws: `CodecError` of the source.
package func chooseFrames(
  from source: some FrameSource, _ choice: FrameChoice, sharpness: (Frame) -> Double = roughSharpness,
  progress: (Int) -> Void = { _ in }
) throws(CodecError) -> [Frame] {
  // Frames a stretch, which need not be a whole number: 500 of 570 are 500 stretches.
  var length = 1.0
  if let every = choice.every { length = max(1, (every * source.rate).rounded()) }
  if let maximum = choice.maximum, let count = source.expectedCount {
    length = max(length, Double(count) / Double(maximum))
  }
  var kept: [(frame: Frame, sharpness: Double)] = []
  var position = 0
  func stretch(_ position: Int) -> Int { Int(Double(position) / length) }
  while let frame = try source.next() {
    // One frame a stretch leaves nothing to choose, but merging may ask later.
    let needsSharpness = length > 1 || choice.maximum != nil
    let candidate = (frame: frame, sharpness: needsSharpness ? sharpness(frame) : 0)
    frame.discardResidentSamples()
    progress(position + 1)
    if position == 0 || stretch(position) != stretch(position - 1) {
      kept.append(candidate)
    } else if candidate.sharpness > kept[kept.count - 1].sharpness {
      kept[kept.count - 1] = candidate
    }
    position += 1
    if let maximum = choice.maximum, kept.count / 2 >= maximum, stretch(position) != stretch(position - 1) {
      kept = merged(kept, into: maximum)
      length *= 2
    }
  }
  if let maximum = choice.maximum { kept = merged(kept, into: maximum) }
  return kept.map(\.frame)
}

/// The sharpest of each of `count` even groups; all when there are no more.
private func merged(
  _ frames: [(frame: Frame, sharpness: Double)], into count: Int
) -> [(frame: Frame, sharpness: Double)] {
  guard frames.count > count else { return frames }
  return (0..<count).map { group in
    let range = group * frames.count / count..<(group + 1) * frames.count / count
    return frames[range].max { $0.sharpness < $1.sharpness }!
  }
}

/// The mean square of the Laplacian over every fourth row and column of the first plane: enough to tell a moved
/// frame from its neighbours.
package func roughSharpness(_ frame: Frame) -> Double {
  let plane = frame.planes[0]
  guard plane.width > 2, plane.height > 2 else { return 0 }
  func sum<S: Sample>(_ type: S.Type) -> (Double, Int) {
    var (total, count) = (0.0, 0)
    plane.withUnsafeBytes { base in
      for y in stride(from: 1, to: plane.height - 1, by: 4) {
        let row = (base + y * plane.stride).assumingMemoryBound(to: S.self)
        let above = (base + (y - 1) * plane.stride).assumingMemoryBound(to: S.self)
        let below = (base + (y + 1) * plane.stride).assumingMemoryBound(to: S.self)
        for x in stride(from: 1, to: plane.width - 1, by: 4) {
          let laplacian = 4 * Int(row[x]) - Int(row[x - 1]) - Int(row[x + 1]) - Int(above[x]) - Int(below[x])
          total += Double(laplacian * laplacian)
          count += 1
        }
      }
    }
    return (total, count)
  }
  let (total, count) = plane.bits > 8 ? sum(UInt16.self) : sum(UInt8.self)
  return total / Double(count)
}
