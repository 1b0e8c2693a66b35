import Frames

/// Numbers of all candidates, four at a time.
typealias Four = SIMD4<Float>

/// The candidates' values at one pixel: a task's scratch.
final class PixelValues {
  /// Vectors per kind of value; those past the last candidate are 0.
  let blocks: Int
  let brightness: UnsafeMutablePointer<Four>
  let blue: UnsafeMutablePointer<Four>
  let red: UnsafeMutablePointer<Four>
  let gradient: UnsafeMutablePointer<Four>
  /// 1 where the brightness may be clipped.
  let clipped: UnsafeMutablePointer<Four>
  private(set) var isAnyClipped = false
  private let samples: [CandidateSamples]
  private let planeCount: Int

  init(_ candidates: Candidates) {
    blocks = (candidates.count + 3) / 4
    brightness = .allocate(capacity: 5 * blocks)
    brightness.initialize(repeating: .zero, count: 5 * blocks)
    blue = brightness + blocks
    red = blue + blocks
    gradient = red + blocks
    clipped = gradient + blocks
    samples = candidates.list.map { CandidateSamples($0) }
    planeCount = candidates.planeCount
  }

  deinit { brightness.deallocate() }

  /// Takes the values of a pixel.
  func gather(x: Int, y: Int) {
    isAnyClipped = false
    func numbers(_ kind: UnsafeMutablePointer<Four>) -> UnsafeMutablePointer<Float> {
      UnsafeMutableRawPointer(kind).assumingMemoryBound(to: Float.self)
    }
    let (brightness, gradient, clipped) = (numbers(brightness), numbers(gradient), numbers(clipped))
    let (blue, red) = (numbers(blue), numbers(red))
    samples.withUnsafeBufferPointer { samples in
      for index in samples.indices {
        let offset = y &* samples[index].stride &+ x
        let value = Float(samples[index].brightness[offset])
        brightness[index] = value
        gradient[index] = Float(samples[index].gradient[offset])
        let isClipped = value >= samples[index].saturation
        clipped[index] = isClipped ? 1 : 0
        isAnyClipped = isAnyClipped || isClipped
        guard planeCount == 3 else { continue }
        blue[index] = Float(samples[index].blue[offset])
        red[index] = Float(samples[index].red[offset])
      }
    }
  }

  /// Squared distances of all pairs, in units of the noise: that of a < b is element b of the row of `blocks` vectors
  /// that begins at `distances + a * blocks`; what stands elsewhere means nothing.
  ///
  /// Explained by saturation, and 0: what a clipped sample lacks in brightness, and its colour.
  func pairDistances(_ noise: [ComparedNoise], into distances: UnsafeMutablePointer<Four>) {
    if isAnyClipped {
      pairDistances(noise, into: distances, clips: true)
    } else {
      pairDistances(noise, into: distances, clips: false)
    }
  }

  @inline(__always)
  private func pairDistances(_ noise: [ComparedNoise], into distances: UnsafeMutablePointer<Four>, clips: Bool) {
    let share = 0.5 / Float(planeCount)
    let (first, second, third) = (noise[0], noise[1], noise[2])
    for a in 0..<samples.count &- 1 {
      let (block, lane) = (a / 4, a % 4)
      let ownBrightness = Four(repeating: brightness[block][lane])
      let (ownBlue, ownRed) = (Four(repeating: blue[block][lane]), Four(repeating: red[block][lane]))
      let ownGradient = Four(repeating: gradient[block][lane])
      let ownClipped = Four(repeating: clipped[block][lane]) .!= 0
      let row = distances + a &* blocks
      for b in (a &+ 1) / 4..<blocks {
        let steep = ownGradient.replacing(with: gradient[b], where: gradient[b] .< ownGradient)
        let squared = steep * steep
        let bright = 0.5 * (ownBrightness + brightness[b])
        var step = ownBrightness - brightness[b]
        var (stepBlue, stepRed) = (ownBlue - blue[b], ownRed - red[b])
        var (weightedBlue, weightedRed) = (stepBlue, stepRed)
        if clips {
          let otherClipped = clipped[b] .!= 0
          let isExplained = (ownClipped .& (step .< 0)) .| (otherClipped .& (step .> 0))
          step.replace(with: 0, where: isExplained)
          weightedBlue.replace(with: 0, where: ownClipped .| otherClipped)
          weightedRed.replace(with: 0, where: ownClipped .| otherClipped)
        }
        var sum = step * step / (first.constant + first.slope * bright + first.squaredShift * squared)
        stepBlue = weightedBlue * stepBlue
        stepRed = weightedRed * stepRed
        sum += stepBlue / (second.constant + second.slope * bright + second.squaredShift * squared)
        sum += stepRed / (third.constant + third.slope * bright + third.squaredShift * squared)
        row[b] = sum * share
      }
    }
  }
}

/// Where a candidate's samples lie. Whoever holds it keeps the candidate.
private struct CandidateSamples {
  let brightness: UnsafePointer<UInt8>
  let blue: UnsafePointer<UInt8>
  let red: UnsafePointer<UInt8>
  let gradient: UnsafePointer<UInt8>
  /// From one row to the next; planes of one size have one stride.
  let stride: Int
  let saturation: Float
  private let candidate: Candidate

  init(_ candidate: Candidate) {
    func base(_ plane: Plane) -> UnsafePointer<UInt8> {
      plane.withUnsafeBytes { $0.assumingMemoryBound(to: UInt8.self) }
    }
    brightness = base(candidate.planes[0])
    blue = base(candidate.planes[candidate.planes.count == 3 ? 1 : 0])
    red = base(candidate.planes[candidate.planes.count == 3 ? 2 : 0])
    gradient = base(candidate.gradient)
    stride = candidate.planes[0].stride
    saturation = candidate.saturation
    self.candidate = candidate
  }
}
