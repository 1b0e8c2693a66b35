import Foundation
import Frames

/// Bursts from nearly empty to crowded squares, to learn what combining can and cannot do.
struct Sweep {
  enum Crowd: String, CaseIterable {
    /// Everybody crosses the square.
    case walking
    /// Some stand at one place for a while, two cross.
    case lingering
  }

  /// One burst of the sweep.
  struct Case {
    let crowd: Crowd
    /// The share of the frames that hide a place where people are, on average, 0..<1.
    let coverage: Double
    let frames: Int
  }

  static let coverages = [0.1, 0.2, 0.4, 0.6, 0.8]
  static let frameCounts = [5, 9, 15]

  static let cases = Crowd.allCases.flatMap { crowd in
    coverages.flatMap { coverage in
      frameCounts.map { Case(crowd: crowd, coverage: coverage, frames: $0) }
    }
  }
}

extension Sweep.Case {
  /// The burst's plan: small photos out of a hand.
  var plan: BurstPlan {
    let camera = Camera(size: Size(width: 960, height: 720), origin: Point(x: 0, y: 0), scale: 1.5)
    let seed = UInt64(1000 * coverage) + UInt64(frames) * 7919 + (crowd == .walking ? 0 : 104_729)
    var random = Random(seed: seed)
    return BurstPlan(
      name: "\(crowd.rawValue) \(Int(100 * coverage)) % \(frames)", camera: camera, frames: frames, bits: 8,
      isHandheld: true, exposureDrift: 0.04, noise: 2, walkers: crowd == .walking ? walkers : 2,
      lingerers: crowd == .walking ? [] : lingerers(&random), seed: seed)
  }

  /// Walkers overlap at random, so that the share of places that they leave free falls exponentially with their number;
  /// so many hide all but 1/e of the square.
  private static let denseCrowd = 40.0
  private var walkers: Int { max(1, Int((-log(1 - coverage) * Self.denseCrowd).rounded())) }

  /// Seven who stand beside each other, each for a stretch of frames of his own.
  private func lingerers(_ random: inout Random) -> [(feet: [Point], frames: Range<Int>)] {
    let stay = min(max(Int((coverage * Double(frames)).rounded()), 1), frames - 1)
    return (0..<7).map { position in
      let feet = Point(x: 80 + 80 * Double(position) + random.uniform(-15...15), y: random.uniform(356...440))
      let start = Int(random.uniform() * Double(frames - stay + 1))
      return ([feet], start..<start + stay)
    }
  }
}
