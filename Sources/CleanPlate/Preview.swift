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
    var layers: [Layer] = []
    /// Layers of the fullest preview so far.
    var shown = 0
  }
  private let state = Mutex(State())

  /// Takes the reference.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out.
  func begin(with frame: Frame) throws {
    let small = try reduced(frame, factor: factor(frame))
    let layer = Layer(frame: small, alignment: .reference(index: 0, planes: small.planes.count))
    state.withLock { $0 = State(reference: small, layers: [layer], shown: 1) }
  }

  /// Takes a frame that was placed on the reference.
  /// - Returns: the preview; nil where the frame does not fit, or a later preview is out already.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  func add(_ frame: Frame, _ alignment: Alignment) async throws -> Frame? {
    guard alignment.isAccepted, let reference = state.withLock(\.reference) else { return nil }
    guard frame.encoding == reference.encoding else { return nil }
    let factor = factor(frame)
    let small = try reduced(frame, factor: factor)
    guard var alignment = alignment.reduced(by: factor) else { return nil }
    alignment.photometric = PhotometricMatcher().match(small, to: reference, alignment: alignment)
    let layers = state.withLock { state in
      state.layers.append(Layer(frame: small, alignment: alignment))
      return state.layers
    }
    let planes = try await stack(
      StackRequest(layers: layers, grids: reference.grids, crop: reference.size.bounds, combine: .median, threads: 1))
    // Another task may have been faster with a frame that came later.
    let isNews = state.withLock { state in
      guard layers.count > state.shown else { return false }
      state.shown = layers.count
      return true
    }
    guard isNews else { return nil }
    return Frame(planes: planes, encoding: reference.encoding, name: reference.name, metadata: reference.metadata)
  }

  /// Luma pixels along each axis that are one of the preview's: a multiple of what one of chroma's is.
  private func factor(_ frame: Frame) -> Int {
    let subsampling = frame.grids.reduce(1) { max($0, $1.scaleX, $1.scaleY) }
    let wanted = Double(max(frame.size.width, frame.size.height)) / Double(Self.side * subsampling)
    return max(1, Int(wanted.rounded())) * subsampling
  }

  /// The frame at 8 bits, all planes of one size.
  private func reduced(_ frame: Frame, factor: Int) throws -> Frame {
    let planes = try zip(frame.planes, frame.grids).map { plane, grid in
      try plane.averaged(over: max(1, min(factor / max(grid.scaleX, grid.scaleY), plane.width, plane.height)))
    }
    return Frame(planes: planes, encoding: frame.encoding, name: frame.name, metadata: frame.metadata)
  }
}

extension Alignment {
  /// The same for pictures of which `factor` pixels are one.
  fileprivate func reduced(by factor: Int) -> Alignment? {
    let (scale, shift) = (Double(factor), Double(factor - 1) / 2)
    let toFull = Homography(scale, 0, shift, 0, scale, shift, 0, 0)
    guard let toSmall = toFull.inverse, let map = (homography * toFull).flatMap({ toSmall * $0 }) else { return nil }
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
