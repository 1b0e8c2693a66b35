public import Frames
public import SystemPackage

/// Pictures of a card that belong together, and what they are.
public struct PictureGroup: Sendable, Hashable, Codable {
  /// What they are.
  public var kind: Kind
  /// Shot by shot, in the order in which they were taken; of a shot's files the best first.
  public var shots: [[FilePath]]
  /// Maker, model and serial number as far as the files tell; empty where they do not.
  public var camera: String
  /// When the first shot was taken, in seconds since the beginning of 1970 by the camera's clock, or else by the files' times.
  public var start: Double
  /// When the last shot was taken, likewise.
  public var end: Double
  /// Whether the camera told the times.
  public var isTimed: Bool
  /// Of a picture as the camera holds it upright, the longer side first.
  public var size: Size
  /// Stops between the darkest and the brightest exposure, where the shots are a bracket.
  public var bracketStops: Double?

  /// What pictures that belong together can be.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// One scene from one place: what a plate is made of.
    case burst
    /// One scene in exposures that differ by steps.
    case bracket
    /// One scene, more often than a burst has it.
    case timeLapse = "time-lapse"
    /// Pictures that overlap by part of their width, side by side.
    case panorama
    /// Each shows what the one before shows, but the last no more what the first does: the photographer walked.
    case walk
    /// One scene, fewer pictures than were asked for.
    case few
    /// A picture by itself with a video that a phone stored with it (`MotionPhoto`).
    case motion = "photo-with-video"
    /// A picture by itself.
    case single
  }

  /// All files, shot by shot.
  public var files: [FilePath] { shots.flatMap(\.self) }
  /// The first shot's best file, by which the group is called.
  public var first: FilePath { shots[0][0] }
}

/// What a card holds.
public struct FoundPictures: Sendable, Hashable {
  /// By camera, in the order in which they were taken.
  public var groups: [PictureGroup]
  /// What takes no part.
  public var skipped: [BurstFiles.Skipped]

  /// Those that plates are made of.
  public var bursts: [PictureGroup] { groups.filter { $0.kind == .burst } }
}

/// How bursts are told from each other.
public struct BurstSearch: Sendable, Hashable {
  /// Seconds between two shots past which they belong to different bursts.
  public let gap: Double
  /// Shots that a burst has at least.
  public let atLeast: Int
  /// Shots that a burst has at most; more are a time lapse.
  public let maxFrames: Int
  /// Whether a bracket is taken as a burst.
  public let usesBrackets: Bool
  /// Whether damaged pictures are looked at as far as they go; else they cannot be read.
  public let acceptsDamaged: Bool
  /// Tasks that work at once, at least 1.
  public let threads: Int

  /// - Throws: `BurstSearchError` when a value lies outside its range.
  public init(
    gap: Double = 30, atLeast: Int = 3, maxFrames: Int = 60, usesBrackets: Bool = false,
    acceptsDamaged: Bool = false, threads: Int
  ) throws(BurstSearchError) {
    guard gap > 0, gap.isFinite else { throw .gap(gap) }
    guard atLeast >= 2 else { throw .atLeast(atLeast) }
    guard maxFrames >= atLeast else { throw .maxFrames(maxFrames, atLeast: atLeast) }
    self.gap = gap
    self.atLeast = atLeast
    self.maxFrames = maxFrames
    self.usesBrackets = usesBrackets
    self.acceptsDamaged = acceptsDamaged
    self.threads = max(threads, 1)
  }
}

/// A value outside its range.
public enum BurstSearchError: Error, Sendable, Hashable {
  /// Not above 0.
  case gap(Double)
  /// Less than 2.
  case atLeast(Int)
  /// Less than `atLeast`.
  case maxFrames(Int, atLeast: Int)
}
