import CShimKernels
package import Frames
import Glibc
import Resampling

/// Finds the gains and offsets that make a frame's samples comparable with the reference's.
///
/// Small boxes are averaged at corresponding places of both frames. Where people move, the pairs disagree; the gain on
/// which most pairs agree is the mode of their ratios, and the fit that starts from it leaves the others out.
package struct PhotometricMatcher: Sendable {
  /// Boxes along the longer side of the picture.
  static let boxes = 56
  /// Gains beyond this factor are not believed, nor does the warp know larger ones.
  static let largestGain = 32.0

  package init() {}

  /// - Parameter alignment: how `frame` lies on `reference`; its homography and mesh are used.
  /// - Returns: one channel per plane; identity where the two frames share too little.
  package func match(_ frame: Frame, to reference: Frame, alignment: Alignment) -> PhotometricMatch {
    guard frame.planes.count == reference.planes.count, let back = alignment.homography.inverse else {
      return .identity(planes: reference.planes.count)
    }
    var places = places(in: reference.size, back: back, mesh: alignment.mesh)
    var channels: [PhotometricMatch.Channel] = []
    for i in reference.planes.indices {
      let pairs = pairs(frame, reference, plane: i, places: places)
      let range = Double(reference.planes[i].maximum + 1)
      if isChroma(reference.encoding, plane: i) {
        var channel = chroma(pairs, range: range, lumaGain: channels[0].gain)
        channel.gains = channels[0].gains
        channel.offsets = offsets(pairs, channel, range: range, size: reference.size)
        channels.append(channel)
      } else {
        channels.append(light(pairs, range: range, size: reference.size))
      }
      if i < reference.planes.count - 1 {
        // A row of dark coats before a red pavement differs from it by the same all along. What is no match in one plane
        // therefore tells nothing in the next.
        let unlike = Set(unlike(pairs, after: channels[i], range: range))
        places = places.indices.filter { !unlike.contains($0) }.map { places[$0] }
      }
    }
    return PhotometricMatch(channels: channels)
  }

  /// Where a frame is brighter than the reference by less, what is clipped is nearly right ...
  private static let leastGain = 0.98
  /// ... and from here on not to be believed at all.
  private static let worthlessGain = 0.93

  /// How little a frame's light is to be believed over the reference, since the frame clips it and is brighter.
  /// - Parameters:
  ///   - frame: as it was decoded.
  ///   - reference: what it was matched with.
  ///   - alignment: how `frame` lies on the reference and is matched with it.
  /// - Returns: 0...1; nil where all of it is to be believed.
  package func doubt(of frame: Frame, on reference: Frame, alignment: Alignment) -> SmoothField? {
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
    return doubt.values.contains { $0 > 0 } ? doubt : nil
  }

  private func isChroma(_ encoding: PixelEncoding, plane: Int) -> Bool {
    if case .yCbCr = encoding { plane > 0 } else { false }
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

/// Means of a box in the frame and of the same box in the reference.
struct Pair {
  var frame: Double
  var reference: Double
  /// Less where the box has texture, in which half a pixel matters.
  var weight: Double
  /// In the reference.
  var place: Point
  /// Where that stands among the places that were asked for.
  var index: Int
}

extension PhotometricMatcher {
  func pairs(_ frame: Frame, _ reference: Frame, plane: Int, places: [(reference: Point, frame: Point)])
    -> [Pair]
  {
    let (source, target) = (frame.planes[plane], reference.planes[plane])
    let radius = max(1, max(target.width, target.height) / 700)
    let clipped = target.maximum - target.maximum / 100
    let noise = Double(target.maximum) / 128
    let shown = places.enumerated().compactMap {
      index, place -> (frame: cs_place, reference: cs_place, place: Point, index: Int)? in
      guard
        let a = source.centre(near: frame.grids[plane].sample(at: place.frame), radius: radius),
        let b = target.centre(near: reference.grids[plane].sample(at: place.reference), radius: radius)
      else { return nil }
      return (a, b, place.reference, index)
    }
    let boxes = zip(
      source.boxes(around: shown.map(\.frame), radius: radius),
      target.boxes(around: shown.map(\.reference), radius: radius))
    return zip(boxes, shown).compactMap { boxes, shown in
      let (a, b) = boxes
      guard a.largest < clipped, b.largest < clipped else { return nil }
      return Pair(
        frame: a.mean, reference: b.mean, weight: 1 / (noise * noise + b.variance), place: shown.place,
        index: shown.index)
    }
  }

  /// The pairs of all three planes at the places where each has one.
  func pairsOfAllPlanes(_ frame: Frame, _ reference: Frame, places: [(reference: Point, frame: Point)]) -> [[Pair]] {
    let planes = (0..<3).map { plane in
      Dictionary(uniqueKeysWithValues: pairs(frame, reference, plane: plane, places: places).map { ($0.index, $0) })
    }
    return places.indices.compactMap { index in
      let found = planes.compactMap { $0[index] }
      return found.count == planes.count ? found : nil
    }
  }

  /// Luma, grey, or one of red, green and blue: a gain about 0, an offset where the pairs call for one, and a field of gains
  /// where light changed from place to place.
  func light(_ pairs: [Pair], range: Double, size: Size) -> PhotometricMatch.Channel {
    let lit = pairs.filter { $0.frame > range / 32 && $0.reference > range / 32 }
    let ratios = (lit.count >= 20 ? lit : pairs.filter { $0.frame > range / 256 && $0.reference > range / 256 })
      .map { log($0.reference / $0.frame) }
    guard ratios.count >= 20 else { return .identity }
    let start = Line(gain: exp(halfSampleMode(ratios)), offset: 0)
    // A pure change of exposure has no offset: one has to earn its place against an error of a few levels.
    let prior = Prior(gain: start.gain, contrast: range / 64, offsetSpread: range / 64)
    func channel(_ pairs: [Pair]) -> PhotometricMatch.Channel {
      let line = fit(pairs, start: start, range: range, prior: prior)
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
    guard centred.count >= 20 else { return fallback }
    let offset = halfSampleMode(centred.map { $0.reference - lumaGain * $0.frame })
    let prior = Prior(gain: lumaGain, contrast: range / 256, offsetSpread: range / 16)
    let line = fit(centred, start: Line(gain: lumaGain, offset: offset), range: range, prior: prior)
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

  private struct Line {
    var gain: Double
    var offset: Double
  }

  /// What is believed before anything is measured.
  private struct Prior {
    var gain: Double
    /// Every pair speaks for that gain as much as for its own if they differ by so much from each other.
    var contrast: Double
    var offsetSpread: Double
  }

  /// Iteratively re-weighted orthogonal regression (Deming) with Tukey's bisquare: both frames are noisy, and least squares
  /// of one of them take the other's noise for contrast that the first lacks.
  private func fit(_ pairs: [Pair], start: Line, range: Double, prior: Prior) -> Line {
    var line = start
    var sigma = range / 24
    for _ in 0..<12 {
      let errors = pairs.map { abs($0.reference - line.gain * $0.frame - line.offset) }
      let near = errors.below(4 * sigma)
      guard near.count >= 12 else { return start }
      sigma = max(min(sigma, 1.4826 * median(near)), range / 1024)
      let cutoff = bisquareReach * sigma
      var (one, x1, y1, xx, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
      for (pair, error) in zip(pairs, errors) where error < cutoff {
        let w = bisquare(pair.weight, error: error, cutoff: cutoff)
        one += w
        x1 += w * pair.frame
        y1 += w * pair.reference
        xx += w * pair.frame * pair.frame
        xy += w * pair.frame * pair.reference
        yy += w * pair.reference * pair.reference
      }
      let believed = one * prior.contrast * prior.contrast
      one += 1 / (prior.offsetSpread * prior.offsetSpread)
      // About their mean, as far as an offset is believed; noise grows with the gain.
      let ratio = prior.gain * prior.gain
      let across = xx - x1 * x1 / one + believed
      let both = xy - x1 * y1 / one + believed * prior.gain
      let down = yy - y1 * y1 / one + believed * ratio
      guard both > 1e-9 * across else { return line }
      let excess = down - ratio * across
      let gain = (excess + (excess * excess + 4 * ratio * both * both).squareRoot()) / (2 * both)
      line = Line(gain: gain, offset: (y1 - gain * x1) / one)
    }
    return line
  }
}

extension PhotometricMatch.Channel {
  /// A sample of the frame, matched.
  /// - Parameter place: in the reference.
  fileprivate func callAsFunction(_ sample: Double, at place: Point) -> Double {
    gain * (gains?(place) ?? 1) * (sample - pivot) + pivot + offset + (offsets?(place) ?? 0)
  }
}

/// The value around which samples are densest: the half-sample mode (Robertson and Cryer, 1974), which holds when more
/// than half of them are wrong as long as the wrong ones do not agree.
func halfSampleMode(_ values: [Double]) -> Double {
  var window = values.sorted()[...]
  while window.count > 3 {
    let half = (window.count + 1) / 2
    var best = window.startIndex
    for start in window.startIndex...(window.endIndex - half)
    where window[start + half - 1] - window[start] < window[best + half - 1] - window[best] { best = start }
    window = window[best..<best + half]
  }
  return window.reduce(0, +) / Double(max(window.count, 1))
}

extension PlaneGrid {
  /// The sample nearest to a luma pixel.
  fileprivate func sample(at p: Point) -> (x: Double, y: Double) {
    (((p.x - offsetX) / Double(scaleX)).rounded(), ((p.y - offsetY) / Double(scaleY)).rounded())
  }
}

extension Plane {
  /// A place as the centre of a box; nil when that does not lie within the plane.
  fileprivate func centre(near place: (x: Double, y: Double), radius: Int) -> cs_place? {
    guard
      place.x >= Double(radius), place.y >= Double(radius), place.x < Double(width - radius),
      place.y < Double(height - radius)
    else { return nil }
    return cs_place(x: Int32(place.x), y: Int32(place.y))
  }

  /// Statistics of the samples at most `radius` columns and rows away from centres.
  /// - Parameter centres: all those samples lie within the plane.
  func boxes(around centres: [cs_place], radius: Int) -> [cs_box] {
    var boxes = [cs_box](repeating: cs_box(), count: centres.count)
    withKernelPlane { view in
      withUnsafePointer(to: view) { cs_measure_boxes($0, centres, Int32(centres.count), Int32(radius), &boxes) }
    }
    return boxes
  }
}
