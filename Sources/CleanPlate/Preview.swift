import Codecs
import Frames
import Registration
import Resampling
import Stacking
import Synchronization

/// A small plate that is refreshed while frames come in: the median of those that lie on the reference so far.
///
/// Its reference is the one that was chosen beforehand, or else the first frame, as the best is known only at the end.
final class Preview: Sendable {
  /// Pixels of the longer side that are aimed for.
  static let side = 1280

  private struct State {
    var reference: Frame?
    var frames: [RegisteredFrame] = []
    /// Frames of the fullest preview so far.
    var shown = 0
    /// As `Burst.unusedBits`, of the reference.
    var unusedBits = 0
    /// Its pixels along each axis that are one here.
    var factor = 1
  }
  private let state = Mutex(State())

  /// Takes the reference.
  /// - Parameter unusedBits: bits of its samples that were left out of account.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out.
  func begin(with frame: DescribedFrame, unusedBits: Int) throws {
    let factor = frame.frame.previewFactor
    let small = try frame.frame.reduced(by: factor)
    let registered = RegisteredFrame(
      index: frame.index, frame: small, alignment: .reference(planes: small.planes.count))
    state.withLock {
      $0 = State(reference: small, frames: [registered], shown: 1, unusedBits: unusedBits, factor: factor)
    }
  }

  /// Takes a frame that was placed on the reference.
  /// - Returns: the preview; nil where the frame is of another kind, or a later preview is out already.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  func add(_ frame: DescribedFrame, _ alignment: Alignment) async throws -> Frame? {
    guard
      let (first, reference, own) = state.withLock({ state in
        state.reference.map { (state.frames[0].index, $0, state.factor) }
      })
    else { return nil }
    let factor = frame.frame.previewFactor
    guard let reduced = alignment.reduced(from: factor, to: own),
      let matched = try Target(reference, first).match(
        frame.frame.reduced(by: factor), frame.index, .accepted(reduced)
      ).value
    else { return nil }
    let frames = state.withLock { state in
      state.frames.append(matched)
      return state.frames
    }
    let planes = try await stack(
      StackRequest(frames: frames, grids: reference.grids, crop: reference.size.bounds, combine: .median, threads: 1))
    // Another task may have been faster with a frame that came later.
    let isNews = state.withLock { state in
      guard frames.count > state.shown else { return false }
      state.shown = frames.count
      return true
    }
    guard isNews else { return nil }
    return try Frame(planes: planes, encoding: reference.encoding, name: reference.name, metadata: reference.metadata)
      .darkened(by: state.withLock(\.unusedBits))
  }
}

extension Frame {
  /// Luma pixels along each axis that are one of a preview's: a multiple of what one of chroma's is.
  var previewFactor: Int {
    let subsampling = grids.reduce(1) { max($0, $1.scaleX, $1.scaleY) }
    let wanted = Double(max(size.width, size.height)) / Double(Preview.side * subsampling)
    return max(1, Int(wanted.rounded())) * subsampling
  }

  /// The frame at 8 bits, all planes of one size.
  /// - Throws: `AllocationError`.
  func reduced(by factor: Int) throws(AllocationError) -> Frame {
    let isEven = grids.allSatisfy { factor.isMultiple(of: $0.scaleX) && factor.isMultiple(of: $0.scaleY) }
    let full = grids.map { _ in PlaneGrid.full }
    let whole = isEven ? self : try converted(to: PixelLayout(encoding: encoding, bits: bits, grids: full))
    var planes: [Plane] = []
    for (plane, grid) in zip(whole.planes, whole.grids) {
      let (across, down) = (factor / grid.scaleX, factor / grid.scaleY)
      planes.append(try plane.averaged(across: min(across, plane.width), down: min(down, plane.height)))
    }
    // What is left over of a whole square is another part in planes that are subsampled.
    let width = planes.map(\.width).min() ?? 0
    let height = planes.map(\.height).min() ?? 0
    let common = Region(x: 0, y: 0, width: width, height: height)
    return Frame(
      planes: planes.map { $0.part(common) }, encoding: encoding, name: name, metadata: metadata)
  }
}

extension Alignment {
  /// The same for pictures of which `factor` pixels are one.
  func reduced(by factor: Int) -> Alignment? { reduced(from: factor, to: factor) }

  /// The same for a frame of which `own` pixels, along each axis, are one, on a reference of which `factor` are.
  func reduced(from own: Int, to factor: Int) -> Alignment? {
    guard let toSmall = Homography.enlargement(by: factor).inverse,
      let map = (homography * .enlargement(by: own)).flatMap({ toSmall * $0 })
    else { return nil }
    var result = self
    result.homography = map
    result.mesh = mesh.map { mesh in
      ResidualMesh(
        columns: mesh.dx.columns, rows: mesh.dx.rows,
        size: Size(width: max(1, mesh.dx.size.width / factor), height: max(1, mesh.dx.size.height / factor)),
        dx: mesh.dx.values.map { $0 / Float(factor) }, dy: mesh.dy.values.map { $0 / Float(factor) })
    }
    return result
  }
}

extension Homography {
  /// From a picture of which `factor` pixels, along each axis, are one, to the whole.
  fileprivate static func enlargement(by factor: Int) -> Homography {
    let (scale, shift) = (Double(factor), Double(factor - 1) / 2)
    return Homography(scale, 0, shift, 0, scale, shift, 0, 0)
  }
}
