import CShimKernels
import Frames

/// One picture that the plate may follow at a place: a frame, small and registered, or the median of all.
struct Candidate: Sendable {
  /// One plane or three, of 8 bits; the first stands for brightness.
  let planes: [Plane]
  /// The steeper of the differences between a pixel's neighbours across and down, in levels of the first plane.
  let gradient: Plane
  /// The columns that it shows, by row.
  let coverage: [Range<Int32>]
  /// `whollyClipped` where the brightness may be clipped, and so agrees with all that is brighter; else the level from which
  /// on a colour may be, which then does not contradict more of it; 0 where nothing is, nil for 0 all over.
  let clipped: Plane?
  /// Whether `clipped` tells of colours.
  var clipsColours = false
  /// How little its samples are to be believed, 0...`DoubtedFrame.certain`, since others show what it clips; nil for 0 all
  /// over.
  var doubts: Plane?

  static let whollyClipped: UInt8 = 255

  func covers(x: Int, y: Int) -> Bool { coverage[y].contains(Int32(x)) }

  /// The planes; where there is one, it stands for the other two as well.
  var threePlanes: [Plane] { planes.count == 3 ? planes : [planes[0], planes[0], planes[0]] }
}

/// Some of the candidates, one bit each.
typealias CandidateSet = UInt32

/// What is compared: small registered pictures of one size, and last of them their median.
struct Candidates: Sendable {
  /// Frames that are compared with each other at most: the work grows with their square.
  static let mostFrames = 24

  let list: [Candidate]
  let size: Size
  /// The reference's position.
  let reference: Int
  /// What the planes after the first add to it in the colours; nil where they are no chroma. The first stands for brightness
  /// in any case.
  let chroma: cs_chroma_in_light?

  /// Every frame's covered columns, row after row.
  private let coverage: [Range<Int32>]

  init(list: [Candidate], size: Size, reference: Int, chroma: cs_chroma_in_light?) {
    precondition(list.count >= 2 && list.count <= Self.mostFrames + 1 && list.indices.dropLast().contains(reference))
    precondition(list.allSatisfy { $0.coverage.count == size.height && $0.planes.count == list[0].planes.count })
    self.list = list
    self.size = size
    self.reference = reference
    self.chroma = chroma
    coverage = (0..<size.height).flatMap { y in list.dropLast().map { $0.coverage[y] } }
  }

  /// Whether the planes after the first are chroma.
  var hasChroma: Bool { chroma != nil }
  var count: Int { list.count }
  /// How many of the candidates are frames.
  var frameCount: Int { list.count - 1 }
  var frames: ArraySlice<Candidate> { list.dropLast() }
  /// The median's position.
  var median: Int { list.count - 1 }
  var planeCount: Int { list[0].planes.count }
  var grid: CellGrid { CellGrid(pictureSize: size) }
  /// What the planes are, as kernels see them.
  var kernelPlanes: cs_seen_planes {
    cs_seen_planes(
      count: Int32(planeCount), has_chroma: hasChroma ? 1 : 0, chroma: chroma ?? cs_chroma_in_light())
  }
  /// All frames.
  var everyFrame: CandidateSet { (1 << CandidateSet(frameCount)) - 1 }
  /// Pairs of candidates.
  var pairCount: Int { count * (count - 1) / 2 }

  /// Whether a frame shows some columns of a row.
  func covers(_ columns: Range<Int>, y: Int, frame: Int) -> Bool {
    let shown = coverage[y * frameCount + frame]
    return shown.lowerBound <= columns.lowerBound && shown.upperBound >= columns.upperBound
  }

  /// The frames that show a pixel, and the median.
  func covering(x: Int, y: Int) -> CandidateSet {
    let frames = frameCount
    var set = CandidateSet(only: frames)
    coverage.withUnsafeBufferPointer { coverage in
      for index in 0..<frames {
        let columns = coverage[y &* frames &+ index]
        let isShown = columns.lowerBound <= x && columns.upperBound > x
        set |= (isShown ? 1 : 0) &<< CandidateSet(truncatingIfNeeded: index)
      }
    }
    return set
  }
}

extension CandidateSet {
  /// Only one of the candidates.
  init(only index: Int) { self = 1 << CandidateSet(index) }

  func contains(_ index: Int) -> Bool { self >> CandidateSet(index) & 1 == 1 }

  /// Runs `body` for each of the candidates, in their order.
  @inline(__always)
  func visit(_ body: (Int) -> Void) {
    var left = self
    while left != 0 {
      body(left.trailingZeroBitCount)
      left &= left &- 1
    }
  }
}

/// The place of the pair a < b of `count` candidates among all pairs: (0, 1), (0, 2), ... (1, 2), ...
@inline(__always)
func pairIndex(_ a: Int, _ b: Int, count: Int) -> Int { a &* (2 &* count &- a &- 1) / 2 &+ b &- a &- 1 }
