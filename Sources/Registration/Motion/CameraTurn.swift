import Frames

/// What a camera that turns to the side does to its picture: it shifts it, and bends it towards where it turned. How much
/// of the one goes with how much of the other is told by its lens.
struct CameraTurn: Sendable {
  /// The shortest focal length, as a share of the picture's longer side: a phone's widest lens has a little more.
  private static let shortest = 0.33

  /// Frame to reference, along which the camera turned.
  let map: Homography
  let frame: Size
  let reference: Size

  /// The motion without the turn that its shift and its bend have in common: what is left is a zoom, a roll, and the
  /// bend that no turn explains. Nil where there is no turn.
  var rest: Homography? {
    let resize = MotionLimits.resize(frame, reference)
    let toCentre = Homography.translation(x: -reference.centre.x, y: -reference.centre.y)
    let toFrame = Homography(1 / resize, 0, frame.centre.x, 0, 1 / resize, frame.centre.y, 0, 0)
    guard let fromCentre = toCentre.inverse, let fromFrame = toFrame.inverse,
      let centred = (map * toFrame).flatMap({ toCentre * $0 })
    else { return nil }
    let h = centred.elements
    let shift = (h[2] * h[2] + h[5] * h[5]).squareRoot()
    let bend = (h[6] * h[6] + h[7] * h[7]).squareRoot()
    guard shift > 0, bend > 0 else { return nil }
    let longer = Double(max(reference.width, reference.height))
    // A turn by an angle shifts the centre by the focal length times its tangent, and bends by the tangent over it.
    let focal = max((shift / bend).squareRoot(), Self.shortest * longer)
    guard let turn = turn(towards: (h[2] / shift, h[5] / shift), tangent: shift / focal, focal: focal) else {
      return nil
    }
    return turn.inverse.flatMap { $0 * centred }.flatMap { fromCentre * $0 }.flatMap { $0 * fromFrame }
  }

  /// The map of pixels about the centre that the shortest turn is which takes the centre there.
  private func turn(towards direction: (x: Double, y: Double), tangent: Double, focal: Double) -> Homography? {
    let (x, y) = direction
    let cosine = 1 / (1 + tangent * tangent).squareRoot()
    let sine = tangent * cosine
    let less = 1 - cosine
    return Homography(elements: [
      1 - less * x * x, -less * x * y, sine * x * focal,
      -less * x * y, 1 - less * y * y, sine * y * focal,
      -sine * x / focal, -sine * y / focal, cosine,
    ])
  }
}
