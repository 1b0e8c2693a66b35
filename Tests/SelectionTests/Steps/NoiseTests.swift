import Frames
import Testing

@testable import Selection

/// The one noise fit, and what it is fitted to.
@Suite struct NoiseTests {
  @Test func fitFindsALine() {
    var fit = NoiseFit(frames: 10)
    for value in [16.0, 80, 144, 240] { fit.add(value: value, variance: 3 + 0.1 * value, weight: 1) }
    let level = fit.level(floor: 1, whitest: 255)
    #expect(abs(level.constant - 3) < 1e-9 && abs(level.slope - 0.1) < 1e-9)
  }

  @Test func fitStaysAboveTheFloor() {
    var fit = NoiseFit(frames: 10)
    for value in [100.0, 200] { fit.add(value: value, variance: value - 100, weight: 1) }
    let level = fit.level(floor: 2, whitest: 255)
    #expect(level.constant == 2 && level.standardDeviation(at: 255) > 12)
    #expect(NoiseFit(frames: 3).level(floor: 5, whitest: 255) == NoiseLevel(constant: 5, slope: 0))
  }

  @Test func framesContributeToTheirMedian() {
    var histogram = DeviationHistogram(gradientEnds: [4], levels: 16, step: 1)
    histogram.withUnsafeCounts { $0[3] = 1000 }
    let deviations = histogram.deviations(values: 0..<1, gradients: 0..<1)
    #expect(deviations.total == 1000 && deviations.isWorthwhile)
    // Half of what rounds to 3.
    #expect(abs(deviations.standardDeviation - 3 / 0.6745) < 1e-9)
    let variance = deviations.standardDeviation * deviations.standardDeviation
    #expect(abs(NoiseFit(frames: 5).variance(deviations) - variance * 5 / 4) < 1e-9)
    #expect(abs(NoiseFit(frames: 2).variance(deviations) - variance * 2) < 1e-9)
  }

  @Test func flattestBinsComeFirst() {
    var histogram = DeviationHistogram(gradientEnds: [4, 8], levels: 4, step: 1)
    let starts = (0..<3).map { histogram.start(value: 2, gradient: $0) }
    histogram.withUnsafeCounts { counts in
      counts[starts[0] + 1] = 50
      counts[starts[1] + 2] = 50
      counts[starts[2] + 3] = 900
    }
    #expect(histogram.flattestDeviations(value: 2, share: 0.1).total == 100)
    #expect(histogram.flattestDeviations(value: 2, share: 0.05).total == 50)
    #expect(histogram.gradientBin(3) == 0 && histogram.gradientBin(4) == 1 && histogram.gradientBin(200) == 2)
  }

  /// Frames that differ by a known amount from their median, and by more where it is steep.
  @Test func comparedNoiseFollowsTheFrames() async throws {
    let made = try await candidates(5, size: Size(width: 160, height: 120)) { frame, x, y in
      120 + [-6, -3, 0, 3, 6][(frame + x * 7 + y * 3) % 5]
    }
    let noise = try await measureNoise(of: made, threads: 2)
    #expect((3...6).contains(noise[0].variance(brightness: 120, gradient: 0).squareRoot()))
    #expect(noise[1] == ComparedNoise() && noise[2] == ComparedNoise())
    let still = try await candidates(5, size: Size(width: 160, height: 120)) { _, x, _ in x }
    let floor = try await measureNoise(of: still, threads: 1)[0]
    #expect(abs(floor.constant - 2.56) < 1e-5 && abs(floor.squaredShift - 0.0036) < 1e-7)
  }
}
