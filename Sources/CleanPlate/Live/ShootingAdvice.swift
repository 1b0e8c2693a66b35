import Foundation
import Registration

/// What helps where places of a plate were never free.
public struct ShootingAdvice: Sendable, Hashable {
  /// What stands in the way.
  public enum Cause: Sendable, Hashable {
    /// Near things moved against far ones, as they do when the camera changes its place.
    case cameraMoved
    /// Somebody stood there in all photos; about so many more would show the place free.
    case tooFewPhotos(more: Int)
  }

  /// What stands in the way.
  public let cause: Cause
  /// Places that were never free.
  public let places: Int

  /// Who lingers through more photos than that lingers through all.
  private static let mostFrames = 40

  /// - Parameters:
  ///   - places: that were never free.
  ///   - frames: that took part.
  ///   - nearThingsMoved: see `Report.nearThingsMoved`.
  /// - Returns: nil where nothing is to be done.
  public init?(places: Int, frames: Int, nearThingsMoved: Bool) {
    guard places > 0 else { return nil }
    self.places = places
    if nearThingsMoved {
      cause = .cameraMoved
    } else if frames <= Self.mostFrames {
      cause = .tooFewPhotos(more: min(max(4, frames / 2), 20))
    } else {
      return nil
    }
  }

  /// What a report says; nil also for a photo with its video, of which there are no more frames.
  public init?(_ report: Report) {
    self.init(
      places: report.unresolvedPlaces ?? 0, frames: report.frames.count(where: \.accepted),
      nearThingsMoved: report.nearThingsMoved)
    if case .tooFewPhotos = cause, report.options?.motion != nil { return nil }
  }

  /// For a plate that is made, as a clause.
  public var afterwards: String {
    switch cause {
    case .cameraMoved: "near things moved against far ones: stand still and pivot"
    case .tooFewPhotos(let more): "take about \(more) more photos, seconds apart"
    }
  }

  /// For whoever still holds the camera, as a sentence.
  public var whileShooting: String {
    let subject = places == 1 ? "1 place was" : "\(places) places were"
    return switch cause {
    case .cameraMoved: "\(subject) never free: stand still and pivot."
    case .tooFewPhotos(let more): "\(subject) never free: hold on for \(more) more, seconds apart."
    }
  }
}

extension Report {
  /// What became of the burst, in one line: the plate's size, how many frames it is of, whether they may lie whole periods of
  /// the picture off, or elsewhere since little that stands still is seen, or are too blurred for a sharp plate, which places
  /// were never free, and what would help.
  public var summary: String {
    let used = frames.count(where: \.accepted)
    let leftOut = frames.count - used
    var line = "\(crop.width)x\(crop.height) from \(used) frames"
    if leftOut > 0 { line += ", \(leftOut) left out" }
    let uncertain = frames.count { $0.accepted && $0.isSmallestOfEqual == true }
    if uncertain > 0 {
      line += "; the picture repeats itself, and \(uncertain) of them may lie whole windows off: look closely"
    }
    let unsure = frames.count { $0.accepted && $0.isUnsure == true }
    if unsure > 0 {
      let pronoun = unsure == 1 ? "it" : "they"
      line += "; so little that stands still is seen in \(unsure) of them that \(pronoun) may lie wrong: look closely"
    }
    let blurred = blurredFrames
    if blurred > 0, 2 * blurred >= used {
      line += "; \(blurred) of them are blurred, and so the plate may be: add sharp ones"
    }
    if combine != .clean, nearThingsMoved {
      line += "; near things moved against far ones, and edges may be double where they meet: look closely"
    }
    if let places = unresolvedPlaces, places > 0 {
      line += places == 1 ? "; 1 place was" : "; \(places) places were"
      line += String(format: " never free (%.1f %% of the plate)", 100 * unresolved)
      if let advice = ShootingAdvice(self) { line += ": \(advice.afterwards)" }
    }
    return line
  }

  /// Frames that take part though the reference is far sharper, for lack of others. Smaller ones do not count: they are
  /// soft in any case.
  private var blurredFrames: Int {
    guard let own = frames.first(where: { $0.index == reference }), let best = own.sharpness, let size = own.size else {
      return 0
    }
    return frames.count { frame in
      guard frame.accepted, let sharpness = frame.sharpness, let other = frame.size else { return false }
      return other.area >= size.area && sharpness < SharpnessRule().share * best
    }
  }
}
