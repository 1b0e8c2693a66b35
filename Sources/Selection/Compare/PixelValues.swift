import Clipping
import Frames

/// The candidates' values at one pixel: a task's scratch.
final class PixelValues {
  let brightness: UnsafeMutablePointer<Float>
  let blue: UnsafeMutablePointer<Float>
  let red: UnsafeMutablePointer<Float>
  /// Whether the brightness may be clipped.
  let isClipped: UnsafeMutablePointer<Bool>
  private(set) var isAnyClipped = false
  /// Who clips what others show there, so that it is hardly to be believed.
  private(set) var doubted: CandidateSet = 0
  private let samples: [CandidateSamples]
  private let planeCount: Int

  init(_ candidates: Candidates) {
    let count = candidates.count
    brightness = .allocate(capacity: 3 * count)
    brightness.initialize(repeating: 0, count: 3 * count)
    blue = brightness + count
    red = blue + count
    isClipped = .allocate(capacity: count)
    isClipped.initialize(repeating: false, count: count)
    samples = candidates.list.map { CandidateSamples($0) }
    planeCount = candidates.planeCount
  }

  deinit {
    brightness.deallocate()
    isClipped.deallocate()
  }

  /// Takes the values of a pixel.
  func gather(x: Int, y: Int) {
    isAnyClipped = false
    doubted = 0
    samples.withUnsafeBufferPointer { samples in
      for index in samples.indices {
        let offset = y &* samples[index].stride &+ x
        brightness[index] = Float(samples[index].brightness[offset])
        isClipped[index] = samples[index].clipped.map { $0[offset] == Candidate.whollyClipped } ?? false
        isAnyClipped = isAnyClipped || isClipped[index]
        if let doubts = samples[index].doubts, Int(doubts[offset]) > DoubtedFrame.certain / 2 {
          doubted |= CandidateSet(only: index)
        }
        guard planeCount == 3 else { continue }
        blue[index] = Float(samples[index].blue[offset])
        red[index] = Float(samples[index].red[offset])
      }
    }
  }
}

/// Where a candidate's samples lie. Whoever holds it keeps the candidate.
private struct CandidateSamples {
  let brightness: UnsafePointer<UInt8>
  let blue: UnsafePointer<UInt8>
  let red: UnsafePointer<UInt8>
  /// From one row to the next; planes of one size have one stride.
  let stride: Int
  let clipped: UnsafePointer<UInt8>?
  let doubts: UnsafePointer<UInt8>?
  private let candidate: Candidate

  init(_ candidate: Candidate) {
    func base(_ plane: Plane) -> UnsafePointer<UInt8> {
      plane.withUnsafeBytes { $0.assumingMemoryBound(to: UInt8.self) }
    }
    let planes = candidate.threePlanes
    (brightness, blue, red) = (base(planes[0]), base(planes[1]), base(planes[2]))
    stride = candidate.planes[0].stride
    clipped = candidate.clipped.map(base)
    doubts = candidate.doubts.map(base)
    self.candidate = candidate
  }
}
