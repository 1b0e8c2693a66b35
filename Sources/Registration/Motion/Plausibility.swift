import CShimKernels
import Frames

/// The limits of what a hand-held camera does between two photos of one scene.
package struct MotionLimits: Sendable, Hashable {
  /// How far a corner of the picture may move, as a share of the reference's width.
  package var cornerMotion = 0.4
  /// How far the local scale may be from 1 anywhere in the picture, as a factor, but for what a turn of the camera brings.
  package var scale = 1.6
  /// The perspective terms about the picture's centre times its half diagonal, but for what a turn of the camera brings.
  package var perspective = 0.25
  /// Correspondences that must agree.
  package var inliers = 24
  /// The share of the cells with something to see in which correspondences must agree ...
  package var spread = 0.2
  /// ... and the share that is enough when no corner moves further than `smallMotion`: a crowd may fill a picture, but
  /// who walks through it covers more ground than an unsteady hand.
  package var leastSpread = 0.06
  /// As a share of the reference's width.
  package var smallMotion = 0.12
  /// How far a corner moves by the shake of a hand, as a share of the reference's width ...
  package var shake = 0.03
  /// ... beyond which, where whole pictures hardly agree, correspondences must agree in this share of the picture: who
  /// walks is texture as well, and may be all there is.
  package var extent = 0.1

  package init() {}

  /// Why `map`, frame to reference, is not what a camera does; nil when it is.
  func rejection(of map: Homography, frame: Size, reference: Size) -> Rejection? {
    let (map, frame) = upright(map, frame)
    guard isInFront(map, frame), isCamera(map, frame, reference) || isTurn(map, frame, reference) else {
      return zoom(of: map, frame, reference) ?? .implausibleGeometry
    }
    guard across(map, frame).dx > 0 else { return .upsideDown }
    let share = motion(of: map, frame: frame, reference: reference)
    guard share < cornerMotion else { return .tooFarAway(share: share, limit: cornerMotion) }
    return nil
  }

  /// Whether the camera saw all of the frame along `map`.
  private func isInFront(_ map: Homography, _ frame: Size) -> Bool {
    ([frame.centre] + frame.corners).allSatisfy { map.depth(at: $0) > 0 }
  }

  /// Whether the frame is scaled and bent by no more than a camera does.
  private func isCamera(_ map: Homography, _ frame: Size, _ reference: Size) -> Bool {
    let resize = Self.resize(frame, reference)
    let depth = map.depth(at: frame.centre)
    guard depth > 0 else { return false }
    for corner in frame.corners {
      let w = map.depth(at: corner) / depth
      guard w > 0.2, w < 5 else { return false }
      // The determinant of the map's derivative is det(H) / w^3.
      let area = map.determinant / (w * w * w * depth * depth * depth) / (resize * resize)
      guard area > 1 / (scale * scale), area < scale * scale else { return false }
    }
    let halfDiagonal = Double(frame.width * frame.width + frame.height * frame.height).squareRoot() / 2
    let h = map.elements
    let bend = (h[6] * h[6] + h[7] * h[7]).squareRoot() / depth
    return bend * halfDiagonal < perspective
  }

  /// Whether what is left of `map` without a turn of the camera is: a wide lens bends much of the picture when it turns a
  /// little, and so does a zoom what a turn has bent.
  private func isTurn(_ map: Homography, _ frame: Size, _ reference: Size) -> Bool {
    CameraTurn(map: map, frame: frame, reference: reference).rest.map { isCamera($0, frame, reference) } ?? false
  }

  /// That a frame is zoomed too far in or out; nil where that is not all that is wrong with it.
  private func zoom(of map: Homography, _ frame: Size, _ reference: Size) -> Rejection? {
    let shrunk = Self.resize(frame, reference) / map.enlargement(of: frame)
    guard shrunk > scale || shrunk < 1 / scale else { return nil }
    let centre = frame.centre
    let undone = Homography(shrunk, 0, centre.x * (1 - shrunk), 0, shrunk, centre.y * (1 - shrunk), 0, 0)
    guard let map = map * undone, isInFront(map, frame),
      isCamera(map, frame, reference) || isTurn(map, frame, reference)
    else { return nil }
    return .zoomed(factor: shrunk, limit: scale)
  }

  /// The map for the frame turned by a quarter where the camera was: turned phones often leave no orientation tag, and
  /// what is left of the motion is a hand's. Nobody holds a camera upside down.
  private func upright(_ map: Homography, _ frame: Size) -> (map: Homography, frame: Size) {
    guard isQuarterTurn(map, frame: frame) else { return (map, frame) }
    let (_, dy) = across(map, frame)
    let turned = Size(width: frame.height, height: frame.width)
    // Turned pixel to frame pixel.
    let back =
      dy > 0
      ? Homography(0, 1, 0, -1, 0, Double(frame.height - 1), 0, 0)
      : Homography(0, -1, Double(frame.width - 1), 1, 0, 0, 0, 0)
    return (map * back).map { ($0, turned) } ?? (map, frame)
  }

  /// Whether `map`, frame to reference, turns the frame by about a quarter.
  func isQuarterTurn(_ map: Homography, frame: Size) -> Bool {
    let (dx, dy) = across(map, frame)
    return abs(dy) > 2 * abs(dx)
  }

  /// Whether the frame lies upside down along one of two motions and upright along the other.
  func isOpposite(_ a: Homography, _ b: Homography, frame: Size) -> Bool {
    let (a, b) = (across(a, frame), across(b, frame))
    return a.dx * b.dx + a.dy * b.dy < 0
  }

  /// Where a step to the right at the frame's centre leads.
  private func across(_ map: Homography, _ frame: Size) -> (dx: Double, dy: Double) {
    let centre = frame.centre
    let (a, b) = (map(centre), map(Point(x: centre.x + 1, y: centre.y)))
    return (b.x - a.x, b.y - a.y)
  }

  /// How far the corner that moves the most does, as a share of the reference's width.
  func motion(of map: Homography, frame: Size, reference: Size) -> Double {
    let (map, frame) = upright(map, frame)
    let resize = Self.resize(frame, reference)
    let (own, other) = (frame.centre, reference.centre)
    let shifts = frame.corners.map {
      map($0).distance(to: Point(x: other.x + ($0.x - own.x) * resize, y: other.y + ($0.y - own.y) * resize))
    }
    return (shifts.max() ?? 0) / Double(reference.width)
  }

  /// What pixels of a frame are multiplied by to be the reference's when nothing zoomed: a frame of another resolution is
  /// no zoom, nor is one of another orientation.
  static func resize(_ frame: Size, _ reference: Size) -> Double {
    Double(max(reference.width, reference.height)) / Double(max(frame.width, frame.height))
  }

  /// The share of cells that must agree with `map`.
  func neededSpread(of map: Homography, frame: Size, reference: Size) -> Double {
    motion(of: map, frame: frame, reference: reference) < smallMotion ? leastSpread : spread
  }

  /// The cells that must agree with `map` where whole pictures hardly do.
  func neededCells(of map: Homography, frame: Size, reference: Size) -> Int {
    guard motion(of: map, frame: frame, reference: reference) > shake else { return 0 }
    return Int((extent * Double(CoverageGrid.columns * CoverageGrid.rows)).rounded())
  }
}

/// A coarse grid over a picture, for asking in how much of it something happens.
struct CoverageGrid: Sendable {
  static let columns = 16
  static let rows = 12
  let size: Size

  func cell(_ p: cs_point) -> Int {
    let x = min(max(Int(p.x / Double(size.width) * Double(Self.columns)), 0), Self.columns - 1)
    let y = min(max(Int(p.y / Double(size.height) * Double(Self.rows)), 0), Self.rows - 1)
    return y * Self.columns + x
  }

  func cells(_ points: some Sequence<cs_point>) -> Set<Int> { Set(points.lazy.map(cell)) }
}
