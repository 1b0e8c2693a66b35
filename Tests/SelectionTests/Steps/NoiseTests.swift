import Foundation
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
    let none = DeviationHistogram(gradientEnds: [4], levels: 16, step: 1).deviations(values: 0..<1, gradients: 0..<1)
    #expect(abs(NoiseFit(correction: 1.25).variance(deviations, none) - variance * 1.25) < 1e-9)
    #expect(NoiseFit(frames: 3).variance(deviations, none) > NoiseFit(frames: 4).variance(deviations, none))
    #expect(abs(NoiseFit(frames: 100).variance(deviations, none) - variance * 1.026) < 1e-9)
  }

  @Test func flattestBinsComeFirst() {
    var histogram = DeviationHistogram(gradientEnds: [4, 8], levels: 4, step: 1)
    let starts = (0..<3).map { histogram.start(value: 2, gradient: $0) }
    histogram.withUnsafeCounts { counts in
      counts[starts[0] + 1] = 50
      counts[starts[1] + 2] = 50
      counts[starts[2] + 3] = 900
    }
    #expect(histogram.flattestBins(value: 2, share: 0.1) == 0..<2)
    #expect(histogram.flattestBins(value: 2, share: 0.05) == 0..<1)
    #expect(histogram.flattestBins(value: 0, share: 0.1).isEmpty)
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

  /// Half-normal counts of a deviation, and twice as many again of anything.
  @Test(arguments: [1.0, 4], [1.5, 3, 6, 12]) func peakIsFoundUnderACrowd(
    step: Double, deviation: Double
  ) throws {
    let levels = step == 1 ? 256 : 1024
    func counts(peak: Double, anything: Double) -> DeviationHistogram.Deviations {
      var histogram = DeviationHistogram(gradientEnds: [4], levels: levels, step: step)
      histogram.withUnsafeCounts { counts in
        for level in stride(from: 0, to: levels, by: Int(step)) {
          let steps = Double(level) / step
          let (low, high) = (max(0, steps - 0.5), steps + 0.5)
          let normal = erf(high / deviation / 2.0.squareRoot()) - erf(low / deviation / 2.0.squareRoot())
          counts[level] = Int(peak * normal + anything * (high - low) / (Double(levels) / step))
        }
      }
      return histogram.deviations(values: 0..<1, gradients: 0..<1)
    }
    let clear = counts(peak: 1e6, anything: 0)
    #expect(abs(try #require(clear.peak) / step / deviation - 1) < 0.05)
    #expect(abs(clear.standardDeviation / step / deviation - 1) < 0.1)
    let crowded = counts(peak: 1e6, anything: 2e6)
    #expect(abs(try #require(crowded.peak) / step / deviation - 1) < 0.35)
    #expect(crowded.standardDeviation / step > 3 * deviation)
    #expect(counts(peak: 0, anything: 1e6).peak == nil)
  }

  /// In the lower two thirds five of eight frames show somebody, in another colour each.
  @Test func noiseIsNotThePeoples() async throws {
    var state: UInt64 = 7
    func random(below end: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % end
    }
    let size = Size(width: 320, height: 240)
    let noise = (0..<8 * size.area).map { _ in
      (0..<12).reduce(-12_000) { sum, _ in sum + 2 * random(below: 1001) } / 1000
    }
    // By frame and place; nil where the scene is seen.
    let people = (0..<8 * 1200).map { _ in random(below: 8) < 3 ? nil : 20 + random(below: 216) }
    let made = try await candidates(8, size: size) { frame, x, y in
      let place = y / 8 * 40 + x / 8
      let person = y < 80 ? nil : people[frame * 1200 + place]
      let shown = person ?? 60 + y / 2
      return shown + noise[(frame * size.height + y) * size.width + x]
    }
    let measured = try await measureNoise(of: made, threads: 2)[0]
    for brightness in [30, 120, 220] as [Float] {
      #expect((1.4...3.2).contains(measured.variance(brightness: brightness, gradient: 0).squareRoot()))
    }
    #expect(measured.squaredShift < 0.05)
  }

  /// However few frames there are: of three, one is the median itself.
  @Test(arguments: [2, 3, 4, 5, 8, 12, 30])
  func normalNoiseIsMeasuredAsItIs(count: Int) async throws {
    let size = Size(width: 256, height: 192)
    let frames = try (0..<count).map { index in
      let plane = try Plane(width: size.width, height: size.height) { x, y in
        120 + (0..<12).reduce(0) { $0 + scattered(x, y, 100 * index + $1, upTo: 3) }
      }
      return RegisteredFrame(
        index: BurstIndex(rawValue: index), frame: Frame(planes: [plane], encoding: .grey(.full), name: "\(index)"),
        alignment: .reference(planes: 1))
    }
    let level = try await measureNoise(of: frames, size: size, threads: 2)[0]
    // Twelve times the variance of seven equally likely steps.
    let measured = level.standardDeviation(at: 120) / 48.0.squareRoot()
    #expect((0.93...1.07).contains(measured), "\(measured)")
  }

  /// Five frames of a wall, the fourth with half as many pixels a side.
  /// - Parameter texture: how far its pixels are from the wall's grey, at most.
  private func frames(texture: Int) throws -> [RegisteredFrame] {
    let size = Size(width: 256, height: 192)
    func wall(_ x: Int, _ y: Int) -> Int { 120 + scattered(x, y, 0, upTo: texture) }
    return try (0..<5).map { index in
      let isSmall = index == 3
      let factor = isSmall ? 2 : 1
      let plane = try Plane(width: size.width / factor, height: size.height / factor) { x, y in
        let samples = (0..<factor * factor).map { wall(factor * x + $0 % factor, factor * y + $0 / factor) }
        return samples.reduce(0, +) / samples.count + scattered(x, y, index + 1, upTo: 4)
      }
      var alignment = Alignment.reference(planes: 1)
      if isSmall { alignment.homography = Homography(2, 0, 0.5, 0, 2, 0.5, 0, 0) }
      return RegisteredFrame(
        index: BurstIndex(rawValue: index), frame: Frame(planes: [plane], encoding: .grey(.full), name: "\(index)"),
        alignment: alignment)
    }
  }

  /// -limit...limit, without any pattern.
  private func scattered(_ x: Int, _ y: Int, _ salt: Int, upTo limit: Int) -> Int {
    var bits = UInt64(x) << 40 ^ UInt64(y) << 20 ^ UInt64(salt)
    for _ in 0..<2 {
      bits = (bits ^ bits >> 31) &* 0x9E37_79B9_7F4A_7C15
      bits = (bits ^ bits >> 29) &* 0xC2B2_AE3D_27D4_EB4F
    }
    return Int(bits >> 33) % (2 * limit + 1) - limit
  }

  /// What is lost of the texture is an error of about 11 levels, beside noise of 2.6.
  @Test func whatSmallFramesLackIsTheirError() async throws {
    func errors(_ frames: [RegisteredFrame]) async throws -> [Int: Double] {
      try await errorsOfEnlarged(frames, reference: 0, size: frames[0].frame.size, threads: 2)
    }
    let rough = try await errors(frames(texture: 20))
    #expect(rough.keys.sorted() == [3] && (3.0...5.5).contains(rough[3] ?? 0), "\(rough)")
    let smooth = try await errors(frames(texture: 0))
    #expect((0.3...1).contains(smooth[3] ?? 0), "\(smooth)")
    #expect(try await errors(Array(frames(texture: 20)[..<3])).isEmpty)
    let alone = try frames(texture: 20)
    #expect(try await errors([alone[0], alone[3]]).isEmpty)
  }

  /// Of a strip one sample high or wide nothing is known but that it is noisy somehow.
  @Test(arguments: [Size(width: 300, height: 1), Size(width: 1, height: 300), Size(width: 2, height: 2)])
  func stripsHaveNoGradients(size: Size) async throws {
    let frames = try (0..<4).map { index in
      let plane = try Plane(width: size.width, height: size.height) { x, y in 100 + scattered(x, y, index, upTo: 3) }
      return RegisteredFrame(
        index: BurstIndex(rawValue: index), frame: Frame(planes: [plane], encoding: .grey(.full), name: "\(index)"),
        alignment: .reference(planes: 1))
    }
    #expect(try await measureNoise(of: frames, size: size, threads: 2)[0].standardDeviation(at: 100) == 0.5)
  }
}
