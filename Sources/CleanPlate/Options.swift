public import Foundation
public import Frames
public import SystemPackage

/// Which frame the plate is drawn in.
public enum ReferenceOption: Sendable, Hashable {
  /// Chosen by sharpness and by its place among the others.
  case auto
  /// The frame with this index in the burst, from 0.
  case index(Int)
  /// The frame of this name: the `text` of a file's path, or the name that the caller gave.
  case name(String)
}

/// Everything that can be chosen about a plate, as one validated value.
///
/// Every part has the default of the command line. How the plate is written is `EncodeOptions`' affair; which frames of
/// a video take part, that of `videoInputs`.
public struct Options: Sendable, Hashable {
  /// Which motions between frames to expect.
  public let align: AlignmentModel
  /// How the samples of a pixel become one.
  public let combine: CombineOperator
  /// Which frame the plate is drawn in.
  public private(set) var reference: ReferenceOption
  /// Who tells where people stand: for `clean`, and for every operator where so little of a frame agrees that a crowd may have
  /// led it away.
  public let detector: DetectorOption
  /// What a person knows better, with `clean`.
  public let edits: PlateEdits
  /// Whether the run also cuts out who was removed from the reference.
  public let foreground: Bool
  /// Whether the run also hands over what each frame shows where the plate is not known to be free; with `clean`.
  public let layers: Bool
  /// What the plate shows: what all frames have in common, or the whole reference.
  public let crop: CropMode
  /// Whether a residual mesh may follow the homography.
  public let mesh: Bool
  /// Tasks that work at once, at least 1.
  public internal(set) var threads: Int
  /// Bytes that decoded planes may hold in memory; past it they live in temporary files. Nil: no bound.
  public let memory: Int?
  /// Significant bits in which samples are at least resampled and combined, 8...16; nil: the frames' own. The mean of
  /// 8-bit frames holds more than 8 bits; 16 keeps them, for twice the memory.
  public let bits: Int?
  /// A report whose alignments stand in for registration; nil registers.
  public let alignment: Report?
  /// A folder in which the run leaves its frames, in a new folder of its own; nil keeps nothing.
  public let keep: FilePath?
  /// Whether the frames there carry what their files told of when, where and by whom they were taken.
  public let keepsMetadata: Bool
  /// Whether the burst is a photo and its video (`MotionPhoto`): the reference, by default the first input, keeps its samples
  /// wherever it is free, and frames of however few pixels stand in elsewhere.
  public private(set) var motion: Bool
  /// Whether `Event.preview` is told while frames come in.
  public let previews: Bool
  /// Whether frames whose files are truncated take part all the same.
  public let acceptsDamaged: Bool
  /// Whether the report holds the SHA-256 of every file, by which another burst is told when the report is used again:
  /// 2 ms a megabyte on processors that have no instruction for it.
  public let digests: Bool

  /// - Throws: `OptionError` when a value lies outside its range or contradicts another.
  public init(
    align: AlignmentModel = .homography, combine: CombineOperator = .clean, reference: ReferenceOption = .auto,
    crop: CropMode = .common, mesh: Bool = true, detector: DetectorOption = .auto,
    edits: PlateEdits = PlateEdits(), foreground: Bool = false, layers: Bool = false,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount,
    memory: Int? = nil, bits: Int? = nil, alignment: Report? = nil, keep: FilePath? = nil,
    keepsMetadata: Bool = true, motion: Bool = false, previews: Bool = false,
    acceptsDamaged: Bool = false, digests: Bool = false
  ) throws(OptionError) {
    guard (1...1024).contains(threads) else { throw .threads(threads) }
    if case .index(let index) = reference, index < 0 { throw .reference(index) }
    if let memory, memory < 1 << 20 { throw .memory(memory) }
    if !edits.isEmpty, combine != .clean { throw .edits(combine) }
    if layers, combine != .clean { throw .layers(combine) }
    if foreground, !combine.removesPeople { throw .foreground(combine) }
    if motion, combine != .clean { throw .motion(combine) }
    if alignment != nil, align != .homography || !mesh { throw .registeredBefore }
    self.align = align
    self.combine = combine
    self.reference = motion && reference == .auto ? .index(0) : reference
    self.motion = motion
    self.detector = detector
    self.edits = edits
    self.foreground = foreground
    self.layers = layers
    self.crop = crop
    self.mesh = mesh
    self.threads = threads
    self.memory = memory
    if let bits, !(8...16).contains(bits) { throw .bits(bits) }
    self.bits = bits
    self.alignment = alignment
    self.keep = keep
    self.keepsMetadata = keepsMetadata
    self.previews = previews
    self.acceptsDamaged = acceptsDamaged
    self.digests = digests || alignment != nil || keep != nil
  }

  /// The same for a photo and its video.
  /// - Throws: `OptionError.motion` when the operator does not tell where the photo is free.
  func forMotion() throws(OptionError) -> Options {
    guard combine == .clean else { throw .motion(combine) }
    var options = self
    (options.motion, options.reference) = (true, .index(0))
    return options
  }
}

/// An option outside its range, or that contradicts another.
public enum OptionError: Error, Sendable, Hashable {
  /// Not within 1...1024.
  case threads(Int)
  /// Negative.
  case reference(Int)
  /// Not within 8...16.
  case bits(Int)
  /// Only `clean` decides place by place whom to follow, so that a person may know better.
  case edits(CombineOperator)
  /// Only `clean` knows where a plate is not free.
  case layers(CombineOperator)
  /// Nobody is removed by this operator, so that there is nobody to cut out.
  case foreground(CombineOperator)
  /// Only `clean` tells where the photo is free.
  case motion(CombineOperator)
  /// Less than 1 MiB.
  case memory(Int)
  /// How to register, although an earlier report says where the frames lie.
  case registeredBefore
}
