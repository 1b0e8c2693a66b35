import Foundation
import Frames
package import ShimSupport

/// Picks the frame in whose camera the result is drawn: sharp, and near the middle of the poses so that little is
/// cropped.
package struct ReferenceChoice: Sendable {
  /// The share of the burst's 80th percentile of sharpness that a reference must have, if any frame has it.
  package var leastSharpness = 0.8
  private let registrar: Registrar

  package init(registrar: Registrar) {
    self.registrar = registrar
  }

  /// The frame of a burst of so many that the others are placed on first.
  package static func origin(count: Int) -> Int { count / 2 }

  /// - Parameters:
  ///   - frames: the burst.
  ///   - known: how frames lie on the origin, as far as they have been found out already.
  ///   - threads: tasks that may run at once; the choice does not depend on it.
  /// - Returns: the chosen frame's place in the burst, and where the frames were found to lie, which registration
  ///   need not find out again.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  package func choose(among frames: [FrameDescription], known: [Int: CoarseMotions] = [:], threads: Int) async throws
    -> (index: Int, poses: Poses)
  {
    let poses = try await poses(frames, known: known, threads: threads)
    return (try choose(among: frames, poses: poses, threads: threads), poses)
  }

  private func choose(among frames: [FrameDescription], poses: Poses, threads: Int) throws(ShimError) -> Int {
    // A frame that differs in kind from most would have them left out.
    let coloured = Self.colouredAsMost(frames.map(\.colour))
    let large = zip(Self.largeEnough(frames.map(\.size)), coloured).map { $0 && $1 }
    let homographies = poses.homographies
    let known = Self.notLost(frames.indices.filter { large[$0] && homographies[$0] != nil }, of: frames)
    guard let base = known.first(where: { $0 == poses.origin }) ?? known.first, let back = homographies[base]?.inverse
    else { return large.firstIndex(of: true) ?? 0 }
    let scale = SharpnessScale(frames[base])
    // As multiples of the base's, which white parts do not bend.
    let brightness = mapIndicesInPlace(count: known.count, threads: threads) { k in
      let i = known[k]
      let map = registrar.coarseSearch(of: frames[i], on: frames[base]).proxy((back * homographies[i]!) ?? .identity)
      return 1 / GreyContest(frame: frames[i].grey, reference: frames[base].grey).gain(along: map)
    }
    let usual = median(brightness)
    var laplacians: [ComparableLaplacian] = []
    for (i, brightness) in zip(known, brightness) {
      let onBase = (back * homographies[i]!) ?? .identity
      var laplacian = try scale.comparable(frames[i], homography: onBase)
      laplacian.gain = usual / brightness
      laplacians.append(laplacian)
    }
    let measured = commonSharpness(laplacians, reference: frames[base].size, threads: threads)
    // What cannot be compared with the others, since it is white where they show something, comes last.
    let isComparable = measured.contains { $0 != nil }
    let sharpness = zip(known, measured).map { isComparable ? $1 ?? 0 : frames[$0].laplacian.variance }
    if frames.count == 2 { return known.count == 2 && sharpness[1] > sharpness[0] ? known[1] : known[0] }
    let needed = leastSharpness * percentile(sharpness, 0.8)
    // The middle of the poses: for each corner, the median of where the frames put it.
    let corners = known.map { i in frames[i].size.corners.map(homographies[i]!.callAsFunction) }
    let middle = (0..<4).map { c in Point(x: median(corners.map { $0[c].x }), y: median(corners.map { $0[c].y })) }
    let distances = corners.map { zip($0, middle).map { $0.distance(to: $1) }.reduce(0, +) / 4 }
    let width = Double(frames[poses.origin].size.width)
    let white = known.map { frames[$0].laplacian.clippedShare }
    let leastWhite = white.min() ?? 0
    func score(_ i: Int) -> Double {
      // A tenth of sharpness is worth a shift of one percent of the width.
      let blur = max(0, 1 - sharpness[i] / max(needed / leastSharpness, 1e-9))
      // A plate is as bright as its reference, and what is white in it is lost: a stop away from the others, or a tenth
      // more that is white, is as bad as a tenth of the width.
      let stops = max(0, abs(log2(brightness[i] / usual)) - 0.2)
      let lost = max(0, white[i] - leastWhite - 0.02)
      return distances[i] / width + 0.1 * stops + lost + 0.1 * blur + (sharpness[i] < needed ? 10 * (1 + blur) : 0)
    }
    let best = known.indices.min { (score($0), $0) < (score($1), $1) } ?? known.startIndex
    return known[best]
  }

  /// Without frames that are white where others show something.
  private static func notLost(_ candidates: [Int], of frames: [FrameDescription]) -> [Int] {
    let white = candidates.map { frames[$0].laplacian.clippedShare }
    let least = white.min() ?? 0
    return zip(candidates, white).filter { !ExposureRule().isLost($1, least: least) }.map(\.0)
  }

  /// A size counts as common when this share of the frames is as large, and a frame is large enough when its sides
  /// have this share of the largest common size's, and no more than its inverse: what is enlarged shows nothing new.
  private static let (commonShare, likeness) = (0.5, 0.9)

  /// Which frames are about as large as most, so that a plate drawn in them loses nothing.
  static func largeEnough(_ sizes: [Size]) -> [Bool] {
    let sides = sizes.map { Double($0.area).squareRoot() }
    let ranked = sides.sorted(by: >)
    guard
      let common = ranked.first(where: { side in
        Double(sides.count { $0 >= likeness * side }) >= commonShare * Double(sides.count)
      })
    else { return sizes.map { _ in true } }
    return sides.map { $0 >= likeness * common && $0 * likeness <= common }
  }

  /// Of what so many times as much colour is seen, the colours differ in kind.
  private static let otherColours = 2.5

  /// Which frames have colours like those of most, neither black and white nor faded among others; of equal halves, the
  /// stronger.
  static func colouredAsMost(_ colours: [ColourLevel]) -> [Bool] {
    let isColour = 2 * colours.count(where: \.isColour) >= colours.count
    let result = colours.map { own in
      guard own.isColour == isColour else { return false }
      let strengths = colours.compactMap { own.strength(beside: $0) }
      let (faded, gaudy) = (strengths.count { $0 * otherColours < 1 }, strengths.count { $0 > otherColours })
      return 2 * faded < colours.count && 2 * gaudy <= colours.count
    }
    return result.contains(true) ? result : colours.map { $0.isColour == isColour }
  }

  /// Tries frames from the middle of the burst outwards as origin until most others can be placed.
  private func poses(_ frames: [FrameDescription], known: [Int: CoarseMotions], threads: Int) async throws -> Poses {
    let count = frames.count
    let registrar = registrar
    var best = Poses(origin: 0, motions: [])
    let first = Self.origin(count: count)
    var tried: Set<Int> = []
    for origin in [first, count / 4, 3 * count / 4, 0, count - 1] where tried.insert(origin).inserted {
      let motions = try await mapIndices(count: count, threads: threads) { i in
        if origin == first, i != first, let known = known[i] { return known }
        return try registrar.coarseMotions(of: frames[i], on: frames[origin], isSame: i == origin)
      }
      let found = Poses(origin: origin, motions: motions)
      if best.motions.isEmpty || found.placed > best.placed { best = found }
      if found.placed > count / 2 + 1 || found.placed == count { break }
    }
    return best
  }
}

/// How the frames of a burst lie on one of them, by matched features alone: to about a pixel of the proxy.
package struct Poses: Sendable {
  /// The frame that the others are placed on.
  let origin: Int
  /// Motions that are possible for each frame, likeliest first, frame to origin, full-size pixels.
  let motions: [CoarseMotions]

  /// The likeliest ones; nil for frames that do not fit.
  var homographies: [Homography?] { motions.map { try? $0.get().first?.map } }
  var placed: Int { motions.count { (try? $0.get()) != nil } }

  /// What is known of how a frame lies on another; full-size pixels.
  /// - Returns: nil when the way by the origin says nothing.
  package func motions(of frame: Int, on reference: Int) -> CoarseMotions? {
    if reference == origin { return motions[frame] }
    guard case .success(let candidates) = motions[frame], let back = homographies[reference]?.inverse else {
      return nil
    }
    let composed = candidates.compactMap { candidate in
      (back * candidate.map).map { CoarseMotion(map: $0, inliers: candidate.inliers, cells: candidate.cells) }
    }
    return composed.isEmpty ? nil : .success(composed)
  }
}

extension Registrar {
  /// How a frame may lie on another, by matched features alone, in full-size pixels: the step that can be taken before a
  /// reference is chosen.
  /// - Parameter isSame: whether the two are one frame.
  /// - Throws: `ShimError` when memory runs out.
  package func coarseMotions(
    of frame: FrameDescription, on origin: FrameDescription, isSame: Bool = false
  ) throws(ShimError) -> CoarseMotions {
    if isSame || model == .none {
      return .success([
        CoarseMotion(map: .identity, inliers: frame.features.count, cells: CoverageGrid.columns * CoverageGrid.rows)
      ])
    }
    let search = coarseSearch(of: frame, on: origin)
    return try search.motions().map { $0.map { search.fullSize($0) } }
  }
}
