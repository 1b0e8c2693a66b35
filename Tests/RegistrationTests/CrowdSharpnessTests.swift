import Foundation
import Frames
import Testing

@testable import Registration

/// A soft scene, and people before it who have sharper edges.
@Suite struct CrowdSharpness {
  private static let scene: Texture = { x, y in
    90 + 80 * Scenes.smoothNoise(x / 34, y / 34, seed: 61) + 30 * Scenes.smoothNoise(x / 6, y / 6, seed: 62)
  }

  /// People in striped cloth, dark or bright, over a share of the picture, elsewhere in every frame.
  private func crowd(share: Double, seed: UInt64) -> Mover {
    { x, y in
      let here = Generator.mixed(UInt64(x / 80) &* 31 &+ UInt64(y / 160) &* 977 &+ seed &* 7919)
      guard Double(here >> 40) / Double(1 << 24) < share else { return nil }
      return (here % 2 == 0 ? 25 : 215) + 20 * sin(x * 1.5 + y * 0.4)
    }
  }

  /// - Parameter blur: of the last of seven frames, in which nobody walks.
  private func codes(blur: Int) throws -> [String?] {
    let frames = try (0..<7).map { i in
      var shot = Shot()
      (shot.seed, shot.noise) = (UInt64(i + 1), 0.5)
      if i < 6 { shot.mover = crowd(share: 0.6, seed: UInt64(i + 1)) } else { shot.blur = blur }
      return try Registrar().describe(shot.frame(of: Self.scene))
    }
    let found = frames.map { _ in FrameOutcome.accepted(Alignment.reference(planes: 1)) }
    return try SharpnessRule().apply(to: found, frames: frames, reference: 2).map { $0.rejection?.code }
  }

  @Test func whoeverIsAloneInTheSquareIsNotBlurred() throws {
    #expect(try codes(blur: 0).allSatisfy { $0 == nil })
  }

  @Test func aBlurredFrameWithoutPeopleIsBlurred() throws {
    #expect(try codes(blur: 6) == [nil, nil, nil, nil, nil, nil, "blurred"])
  }
}
