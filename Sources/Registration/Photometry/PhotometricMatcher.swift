package import Frames
import Glibc

/// Finds the gains and offsets that make a frame's samples comparable with the reference's.
///
/// Small boxes are averaged at corresponding places of both frames. Where people move, the pairs disagree; the gain on
/// which most pairs agree is the mode of their ratios, and the fit that starts from it leaves the others out.
package struct PhotometricMatcher: Sendable {
  /// Boxes along the longer side of the picture.
  static let boxes = 56
  /// Pairs that tell a gain, at least.
  private static let fewestPairs = 20
  /// From here on the brightest of a place's colours may be clipped at some of its samples; white is 1.
  private static let nearlyClipped = 0.96
  /// Gains beyond this factor are not believed, nor does the warp know larger ones.
  static let largestGain = 32.0

  package init() {}

  /// - Parameter alignment: how `frame` lies on `reference`; its homography and mesh are used.
  /// - Returns: one channel per plane; identity where the two frames share too little.
  package func match(_ frame: Frame, to reference: Frame, alignment: Alignment) -> PhotometricMatch {
    guard frame.planes.count == reference.planes.count, let back = alignment.homography.inverse else {
      return .identity(planes: reference.planes.count)
    }
    let places = places(in: reference.size, back: back, mesh: alignment.mesh)
    let pairs = reference.planes.indices.map { self.pairs(frame, reference, plane: $0, places: places) }
    var excluded = clipped(pairs, frame, reference)
    var channels: [PhotometricMatch.Channel] = []
    for i in reference.planes.indices {
      let pairs = pairs[i].filter { !excluded.contains($0.index) }
      let range = Double(reference.planes[i].maximum + 1)
      if isChroma(reference.encoding, plane: i) {
        var channel = chroma(pairs, range: range, lumaGain: channels[0].gain)
        channel.gains = channels[0].gains
        channel.offsets = offsets(pairs, channel, range: range, size: reference.size)
        channels.append(channel)
      } else {
        channels.append(light(pairs, range: range, size: reference.size))
      }
      // A row of dark coats before a red pavement differs from it by the same all along. What is no match in one plane
      // therefore tells nothing in the next.
      excluded.formUnion(unlike(pairs, after: channels[i], range: range))
    }
    return PhotometricMatch(channels: channels)
  }

  func isChroma(_ encoding: PixelEncoding, plane: Int) -> Bool {
    if case .yCbCr = encoding { plane > 0 } else { false }
  }

  /// The places at which red, green or blue may be clipped in either picture, which luma hides, by where they stand among those
  /// that were asked for: what is clipped shows less light than there is, and another colour. None where both are exposed
  /// alike, and so clip alike, and where too few others are left.
  /// - Parameter pairs: by plane.
  private func clipped(_ pairs: [[Pair]], _ frame: Frame, _ reference: Frame) -> Set<Int> {
    guard isChroma(reference.encoding, plane: pairs.count - 1) else { return [] }
    func isBelow(_ picture: Frame, _ samples: [Double]) -> Bool {
      picture.redGreenBlue(samples).allSatisfy { $0 <= Self.nearlyClipped }
    }
    // A place that lacks a pair of chroma is clipped in that.
    let believed = pairsOfAllPlanes(pairs).filter { pairs in
      isBelow(frame, pairs.map(\.frame)) && isBelow(reference, pairs.map(\.reference))
    }
    let ratios = ratios(of: believed.map { $0[0] }, range: Double(reference.planes[0].maximum + 1))
    guard ratios.count >= Self.fewestPairs, !PhotometricMatch.isExposedAlike(exp(halfSampleMode(ratios))) else {
      return []
    }
    return Set(pairs[0].map(\.index)).subtracting(believed.map { $0[0].index })
  }

  /// Logarithms of the factors by which the reference is brighter, at the pairs that are lit well enough to tell.
  private func ratios(of pairs: [Pair], range: Double) -> [Double] {
    func lit(_ least: Double) -> [Pair] { pairs.filter { $0.frame > least && $0.reference > least } }
    let bright = lit(range / 32)
    return (bright.count >= Self.fewestPairs ? bright : lit(range / 256)).map { log($0.reference / $0.frame) }
  }

  func places(in size: Size, back: Homography, mesh: ResidualMesh?) -> [(reference: Point, frame: Point)] {
    let step = Double(max(size.width, size.height)) / Double(Self.boxes)
    var result: [(Point, Point)] = []
    for y in stride(from: step / 2, to: Double(size.height), by: step) {
      for x in stride(from: step / 2, to: Double(size.width), by: step) {
        let p = Point(x: x, y: y)
        let shift = mesh?(p) ?? Point(x: 0, y: 0)
        result.append((p, back(Point(x: x + shift.x, y: y + shift.y))))
      }
    }
    return result
  }
}

extension PhotometricMatcher {
  /// Luma, grey, or one of red, green and blue: a gain about 0, an offset where the pairs call for one, and a field of gains
  /// where light changed from place to place.
  func light(_ pairs: [Pair], range: Double, size: Size) -> PhotometricMatch.Channel {
    let ratios = ratios(of: pairs, range: range)
    guard ratios.count >= Self.fewestPairs else { return .identity }
    let start = PhotometricLine(gain: exp(halfSampleMode(ratios)), offset: 0)
    // A pure change of exposure has no offset: one has to earn its place against an error of a few levels.
    let prior = PhotometricLine.Prior(gain: start.gain, contrast: range / 64, offsetSpread: range / 64)
    func channel(_ pairs: [Pair]) -> PhotometricMatch.Channel {
      let line = start.fitted(to: pairs, range: range, prior: prior)
      guard line.gain > 1 / Self.largestGain, line.gain < Self.largestGain else { return .identity }
      return PhotometricMatch.Channel(gain: line.gain, offset: line.offset)
    }
    var contrasty = channel(pairs)
    contrasty.gains = gains(pairs, contrasty, range: range, size: size)
    guard abs(contrasty.offset) > range / 64 else { return contrasty }
    // A bright sky above dark ground, and light that changed from one to the other, look like contrast.
    let even = PhotometricMatch.Channel(gain: start.gain, offset: 0)
    guard let field = gains(pairs, even, range: range, size: size) else { return contrasty }
    var uneven = channel(
      pairs.map { pair in
        var pair = pair
        pair.frame *= field(pair.place)
        return pair
      })
    uneven.gains = gains(pairs, uneven, range: range, size: size)
    return error(of: uneven, pairs) < Self.clearlyLess * error(of: contrasty, pairs) ? uneven : contrasty
  }

  /// Light that differs from place to place is believed instead of contrast if it leaves less than this share of errors.
  private static let clearlyLess = 0.85

  /// What a match leaves of most pairs, in levels.
  private func error(of channel: PhotometricMatch.Channel, _ pairs: [Pair]) -> Double {
    median(pairs.map { abs($0.reference - channel($0.frame, at: $0.place)) })
  }

  /// A gain about neutral, which a grey scene cannot tell and which then is luma's, and an offset.
  private func chroma(_ pairs: [Pair], range: Double, lumaGain: Double) -> PhotometricMatch.Channel {
    let pivot = range / 2
    let centred = pairs.map { pair in
      var pair = pair
      pair.frame -= pivot
      pair.reference -= pivot
      return pair
    }
    let fallback = PhotometricMatch.Channel(gain: lumaGain, offset: 0, pivot: pivot)
    guard centred.count >= Self.fewestPairs else { return fallback }
    let offset = halfSampleMode(centred.map { $0.reference - lumaGain * $0.frame })
    let prior = PhotometricLine.Prior(gain: lumaGain, contrast: range / 256, offsetSpread: range / 16)
    let line = PhotometricLine(gain: lumaGain, offset: offset).fitted(to: centred, range: range, prior: prior)
    guard line.gain > 0.5 * lumaGain, line.gain < min(2 * lumaGain, Self.largestGain) else { return fallback }
    return PhotometricMatch.Channel(gain: line.gain, offset: line.offset, pivot: pivot)
  }

  /// The places at which one of the frames shows somebody, as far as a plane can tell: what a match leaves is far from what
  /// it leaves elsewhere.
  /// - Returns: where they stand among the places that were asked for.
  func unlike(_ pairs: [Pair], after channel: PhotometricMatch.Channel, range: Double) -> [Int] {
    guard !pairs.isEmpty else { return [] }
    let errors = pairs.map { abs($0.reference - channel($0.frame, at: $0.place)) }
    let sigma = min(max(spreadAmongMovers(errors), range / 256), range / 64)
    return zip(pairs, errors).filter { $1 > bisquareReach * sigma }.map(\.0.index)
  }

  /// Factors that the brightness still lacks from place to place.
  private func gains(_ pairs: [Pair], _ channel: PhotometricMatch.Channel, range: Double, size: Size) -> SmoothField? {
    let leftovers = pairs.compactMap { pair -> Leftover? in
      let matched = channel(pair.frame, at: pair.place)
      guard matched > range / 16, pair.reference > range / 16 else { return nil }
      return Leftover(
        place: pair.place, value: log(pair.reference / matched), weight: pair.weight * pair.reference * pair.reference)
    }
    let noise = 0.002
    func largest(_ gain: Double) -> Double { log(min(gain, Self.largestGain / channel.gain)) }
    let lens = LeftoverField(size: size, largest: largest(1.3), smallest: 0.006, noise: noise).fitWhereUseful(leftovers)
    let patches = PatchyField(size: size, largest: largest(1.6), noise: noise, smallest: 0.01, mostLeft: 0.06)
    return (patches.fitWhereUseful(leftovers, after: lens) ?? lens)?.map(exp)
  }

  /// What chroma still lacks from place to place.
  private func offsets(_ pairs: [Pair], _ channel: PhotometricMatch.Channel, range: Double, size: Size) -> SmoothField?
  {
    let leftovers = pairs.map { pair in
      Leftover(place: pair.place, value: pair.reference - channel(pair.frame, at: pair.place), weight: pair.weight)
    }
    let level = range / 256
    return LeftoverField(size: size, largest: 24 * level, smallest: 0.4 * level, noise: 0.2 * level)
      .fitWhereUseful(leftovers)
  }
}

extension PhotometricMatch.Channel {
  /// A sample of the frame, matched.
  /// - Parameter place: in the reference.
  fileprivate func callAsFunction(_ sample: Double, at place: Point) -> Double {
    gain * (gains?(place) ?? 1) * (sample - pivot) + pivot + offset + (offsets?(place) ?? 0)
  }
}
