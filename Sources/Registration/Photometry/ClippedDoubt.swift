package import Frames

extension PhotometricMatcher {
  /// Where a frame is brighter than the reference by less, what is clipped is nearly right ...
  private static let leastGain = 0.98
  /// ... and from here on not to be believed at all.
  private static let worthlessGain = 0.93

  /// How little a frame's light is to be believed over the reference, since the frame clips it and is brighter.
  /// - Parameters:
  ///   - frame: as it was decoded.
  ///   - reference: what it was matched with.
  ///   - alignment: how `frame` lies on the reference and is matched with it.
  /// - Returns: 0...1, and the share of the frame that is clipped; nil where all of it is to be believed.
  package func doubt(
    of frame: Frame, on reference: Frame, alignment: Alignment
  ) -> (field: SmoothField, clippedShare: Double)? {
    let match = alignment.photometric
    let light = match.channels.indices.filter { !isChroma(reference.encoding, plane: $0) }.map { match.channels[$0] }
    let balance = min(match.whiteBalance?.gains.min() ?? 1, 1)
    guard light.contains(where: { balance * $0.leastGain < Self.leastGain }),
      let back = alignment.homography.inverse, let clipped = ClippedPlaces(frame)
    else { return nil }
    let doubt = SmoothField(columns: clipped.columns, rows: clipped.rows, size: reference.size) { p in
      let gain = balance * (light.map { $0.gain(at: p) }.min() ?? 1)
      guard gain < Self.leastGain else { return 0 }
      let shift = alignment.mesh?(p) ?? Point(x: 0, y: 0)
      let share = clipped.share(at: back(Point(x: p.x + shift.x, y: p.y + shift.y)))
      return Float(share * min((Self.leastGain - gain) / (Self.leastGain - Self.worthlessGain), 1))
    }
    return doubt.values.contains { $0 > 0 } ? (doubt, clipped.ofAll) : nil
  }
}
