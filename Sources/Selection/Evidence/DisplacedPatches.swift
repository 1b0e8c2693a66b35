import CShimKernels
import Frames

/// Looks for what the reference shows in a square near the same place of other frames, patch by patch.
///
/// A pixel is found with any patch that contains it: at the edge of a thing one half of a patch around it moves, and one does not
/// (shiftable windows; Kang, Szeliski and Chai, "Handling occlusions in dense multi-view stereo", CVPR 2001).
struct DisplacedPatches: Sendable {
  /// By row of patches, a bit for each that begins there.
  typealias Found = SIMD16<UInt16>
  /// In pixels, from where the reference shows something to where a frame does.
  typealias Displacement = cs_place

  /// Pixels of a square's side.
  static let side = 8

  private let candidates: Candidates
  /// All displacements that are tried, the nearest first.
  let displacements: [Displacement]
  /// Levels that a patch's samples differ by at most, all together: of brightness, and of the other planes.
  private let mostOfBrightness, mostOfOthers: UInt16

  /// Levels by which brightness, chroma, and the sum of what colours beside green show, differ at most where the same is shown.
  private static let (brightness, chroma, colours) = (8, 6, 16)
  /// Pixels of a patch's side, and of that of the block that holds all patches of a square.
  private static let (patch, block) = (Int(CS_PATCH_SIDE), Int(CS_PATCH_BLOCK))

  /// - Parameter radius: how far patches may be displaced, in pixels.
  init(_ candidates: Candidates, radius: Int) {
    self.candidates = candidates
    let all = (-radius...radius).flatMap { y in (-radius...radius).map { x in (x: x, y: y, square: x * x + y * y) } }
    displacements = all.filter { $0.square > 0 && $0.square <= radius * radius }
      .sorted { ($0.square, $0.y, $0.x) < ($1.square, $1.y, $1.x) }.map { Displacement(x: Int32($0.x), y: Int32($0.y)) }
    let samples = Self.patch * Self.patch
    mostOfBrightness = UInt16(Self.brightness * samples)
    mostOfOthers = UInt16((candidates.hasChroma ? Self.chroma : Self.colours) * samples)
  }

  /// What is looked for: patches of a square.
  struct Sought {
    /// Where the block begins that holds them.
    fileprivate let start: (x: Int, y: Int)
    fileprivate let displacements: [Displacement]
    /// By displacement, the patches that tell something: those that the reference shows there as well do not, as along the edge
    /// of a shadow.
    fileprivate let patches: [Found]
  }

  /// The frames beside the reference.
  var others: [Int] { (0..<candidates.frameCount).filter { $0 != candidates.reference } }

  /// A displacement of all, by its place among them, and those a pixel beside it.
  func displacements(nextTo place: Int) -> [Displacement] {
    let middle = displacements[place]
    return displacements.filter { abs($0.x - middle.x) <= 1 && abs($0.y - middle.y) <= 1 }
  }

  /// The patches of a square that look in a frame as in the reference where they are; nil where the pictures end, or the frame
  /// does.
  /// - Parameter origin: the square's first pixel.
  func still(around origin: (x: Int, y: Int), in frame: Int) -> Found? {
    let start = blockStart(around: origin)
    let none = Displacement(x: 0, y: 0)
    guard isShown(start, by: frame, displacedBy: none) else { return nil }
    return find([none], from: start, in: frame)[0]
  }

  /// Whether a frame shows a square and what is around it, displaced; else nobody can tell.
  func shows(_ origin: (x: Int, y: Int), by frame: Int, displacedBy shift: Displacement) -> Bool {
    isShown(blockStart(around: origin), by: frame, displacedBy: shift)
  }

  /// All patches but for those that more than half of some frames show where they are.
  /// - Parameter still: what each of the frames shows.
  func patches(butFor still: [Found]) -> Found {
    (0..<UInt16(Self.block)).reduce(into: Found()) { patches, bit in
      let shown = still.reduce(into: Found()) { $0 &+= $1 &>> bit & 1 }
      patches |= Found().replacing(with: 1 &<< bit, where: shown &+ shown .<= UInt16(still.count))
    }
  }

  /// - Parameters:
  ///   - patches: of the square that begins at `origin`.
  ///   - displacements: under which they are looked for.
  func sought(_ patches: Found, around origin: (x: Int, y: Int), displacedBy displacements: [Displacement]) -> Sought {
    let start = blockStart(around: origin)
    let own = found(from: start, displacedBy: displacements, in: candidates.reference)
    return Sought(start: start, displacements: displacements, patches: own.map { patches & ~$0 })
  }

  /// Which of some pixels of the square, row by row, a frame shows, by the displacements under which it is looked for.
  func pixels(_ pixels: UInt64, of sought: Sought, in frame: Int) -> [UInt64] {
    zip(found(from: sought.start, displacedBy: sought.displacements, in: frame), sought.patches).map { found, patches in
      let telling = found & patches
      return telling == Found() ? 0 : pixels & Self.pixels(in: telling)
    }
  }

  /// The first pixel of the block that holds a square and what is around it.
  private func blockStart(around origin: (x: Int, y: Int)) -> (x: Int, y: Int) {
    let margin = (Self.block - Self.side) / 2
    return (origin.x - margin, origin.y - margin)
  }

  /// Whether a frame shows a block, displaced.
  private func isShown(_ start: (x: Int, y: Int), by frame: Int, displacedBy shift: Displacement) -> Bool {
    let (left, top) = (start.x + Int(shift.x), start.y + Int(shift.y))
    let (right, bottom) = (left + Self.block, top + Self.block)
    guard left >= 0, top >= 0, right <= candidates.size.width, bottom <= candidates.size.height else { return false }
    return candidates.covers(left..<right, y: top, frame: frame)
      && candidates.covers(left..<right, y: bottom - 1, frame: frame)
  }

  /// The patches that a frame shows, by displacement: none where it does not show the block.
  private func found(from start: (x: Int, y: Int), displacedBy shifts: [Displacement], in frame: Int) -> [Found] {
    let isInside = shifts.map { isShown(start, by: frame, displacedBy: $0) }
    if !isInside.contains(false) { return find(shifts, from: start, in: frame) }
    let found = find(zip(shifts, isInside).filter(\.1).map(\.0), from: start, in: frame)
    var next = found.makeIterator()
    return isInside.map { $0 ? next.next() ?? Found() : Found() }
  }

  private func find(_ shifts: [Displacement], from start: (x: Int, y: Int), in frame: Int) -> [Found] {
    // Whoever holds the candidates keeps their samples.
    func first(_ plane: Plane) -> UnsafePointer<UInt8> {
      plane.withUnsafeBytes { $0.assumingMemoryBound(to: UInt8.self) + (start.y * plane.stride + start.x) }
    }
    let planes = zip(candidates.list[candidates.reference].planes, candidates.list[frame].planes).map { one, other in
      cs_patch_plane(one: first(one), other: first(other), stride: one.stride)
    }
    var found = [Found](repeating: Found(), count: shifts.count)
    found.withUnsafeMutableBytes { found in
      cs_find_patches(
        planes, Int32(planes.count), mostOfBrightness, mostOfOthers, shifts, Int32(shifts.count),
        found.assumingMemoryBound(to: UInt16.self).baseAddress)
    }
    return found
  }

  /// The pixels of a square that lie in patches.
  private static func pixels(in patches: Found) -> UInt64 {
    (0..<side).reduce(into: 0) { pixels, row in
      // Patches that begin at a pixel or less than a side before it contain it.
      let rows = (row..<row + patch).reduce(UInt16(0)) { $0 | patches[$1] }
      let covered = (0..<patch).reduce(UInt16(0)) { $0 | rows >> UInt16($1) }
      pixels |= UInt64(covered & 0xff) << UInt64(row * side)
    }
  }
}
