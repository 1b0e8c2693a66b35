import Frames

/// Fits what light that changes in patches leaves, such as the bands of lamps that flicker and the shadows of clouds: means
/// by bells from wide to narrow, each of what the wider ones leave, so that narrow ones say what they know and wide ones
/// fill the rest (normalised convolution: Knutsson and Westin, CVPR 1993), robust as the other fits are.
struct PatchyField {
  /// The reference's.
  let size: Size
  /// The largest value that is believed, either way.
  let largest: Double
  /// What leftovers differ by at least.
  let noise: Double
  /// Where most leftovers are smaller than this, nobody sees patches.
  let smallest: Double
  /// What most leftovers are below once the patches are known, if light made them: people leave more.
  let mostLeft: Double

  /// The bells' radii, as shares of the longer side, and in how many rounds each finds what its last means have blurred.
  /// Narrower ones would follow people.
  private static let bells = [(radius: 0.4, rounds: 2), (0.21, 3), (0.12, 8)]
  /// Along the longer side: seven within the narrowest bell.
  private static let nodes = 33
  /// A bell that knows this share of what it would if there were leftovers everywhere counts half.
  private static let half = 0.1
  /// Patches explain light if they leave less than this share of leftovers that they were not fitted to.
  private static let useful = 0.8

  /// - Parameters:
  ///   - leftovers: those of one row of places after another.
  ///   - field: what is known before, such as what lenses darken.
  /// - Returns: that field and the patches; nil where there are none.
  func fitWhereUseful(_ leftovers: [Leftover], after field: SmoothField?) -> SmoothField? {
    let (heldOut, used) = leftovers.halves
    guard heldOut.count >= 60 else { return nil }
    func left(by field: SmoothField?) -> Double {
      median(heldOut.map { abs($0.value - (field?($0.place) ?? 0)) })
    }
    let before = left(by: field)
    guard before > smallest, left(by: fit(used, after: field)) < min(Self.useful * before, mostLeft) else { return nil }
    return fit(leftovers, after: field)
  }

  private func fit(_ leftovers: [Leftover], after start: SmoothField?) -> SmoothField {
    let longer = Double(max(size.width, size.height))
    let step = longer / Double(Self.nodes - 1)
    var field = SmoothField(
      columns: max(2, Int((Double(size.width) / step).rounded()) + 1),
      rows: max(2, Int((Double(size.height) / step).rounded()) + 1), size: size
    ) { Float(start?($0) ?? 0) }
    let usual = median(leftovers.map(\.weight)) * Double(leftovers.count) / Double(size.area)
    let places = Places(leftovers, in: field)
    for (radius, rounds) in Self.bells {
      let bell = Bell(radius: radius * longer)
      let shares = Shares(of: bell, nodes: field.columns, over: size.width, around: places.columns)
      for _ in 0..<rounds {
        field = refined(field, by: places, bell, shares, doubt: Self.half * usual * bell.volume)
      }
    }
    return field.map { min(max($0, -Float(largest)), Float(largest)) }
  }

  /// Leftovers, and what of them no round changes.
  private struct Places {
    let leftovers: [Leftover]
    /// Where they lie among the nodes.
    let spots: [SmoothField.Spot]
    /// Different abscissas; leftovers of many rows have the same.
    private(set) var columns: [Double] = []
    /// Which of them each has.
    private(set) var column: [Int] = []

    init(_ leftovers: [Leftover], in field: SmoothField) {
      self.leftovers = leftovers
      spots = leftovers.map { field.spot(at: $0.place) }
      var known: [Double: Int] = [:]
      for leftover in leftovers {
        let x = leftover.place.x
        let index = known[x] ?? columns.count
        if index == columns.count {
          known[x] = index
          columns.append(x)
        }
        column.append(index)
      }
    }
  }

  /// What the places of some columns tell of the nodes of a row.
  private struct Shares {
    /// By column: the first node, and where its shares begin among all.
    private(set) var first: [Int] = []
    private(set) var starts = [0]
    private(set) var all: [Double] = []

    init(of bell: Bell, nodes: Int, over extent: Int, around columns: [Double]) {
      for centre in columns {
        var first: Int?
        bell.forEachNode(of: nodes, over: extent, around: centre) { node, share in
          first = first ?? node
          all.append(share)
        }
        self.first.append(first ?? 0)
        starts.append(all.count)
      }
    }

    /// Adds to what is known of the nodes of a row, and to the sums of errors there.
    @inline(__always)
    func add(
      _ weight: Double, _ error: Double, of column: Int, to known: UnsafeMutablePointer<Double>,
      _ sums: UnsafeMutablePointer<Double>
    ) {
      let (known, sums) = (known + first[column], sums + first[column])
      all.withUnsafeBufferPointer { all in
        let shares = UnsafeBufferPointer(rebasing: all[starts[column]..<starts[column + 1]])
        for node in shares.indices {
          let told = weight * shares[node]
          known[node] += told
          sums[node] += told * error
        }
      }
    }
  }

  /// - Parameter doubt: how much speaks for what the field says already.
  private func refined(
    _ field: SmoothField, by places: Places, _ bell: Bell, _ shares: Shares, doubt: Double
  ) -> SmoothField {
    let leftovers = places.leftovers
    let errors = zip(leftovers, places.spots).map { $0.value - field.value(at: $1) }
    let cutoff = bisquareReach * max(spreadAmongMovers(errors.map { abs($0) }), noise)
    let (columns, count) = (field.columns, field.values.count)
    // What is known of a row's nodes, the sums of errors there, and both for the rows of nodes.
    var sums = [Double](repeating: 0, count: 2 * columns + 2 * count)
    sums.withUnsafeMutableBufferPointer { all in
      guard let ownKnown = all.baseAddress else { return }
      let (ownSums, known) = (ownKnown + columns, ownKnown + 2 * columns)
      let sums = known + count
      var start = 0
      while start < leftovers.count {
        let y = leftovers[start].place.y
        // First along a row of places, then from there to the rows of nodes.
        ownKnown.update(repeating: 0, count: 2 * columns)
        var next = start
        while next < leftovers.count && leftovers[next].place.y == y {
          let (index, error) = (next, errors[next])
          next += 1
          guard abs(error) < cutoff else { continue }
          let weight = bisquare(leftovers[index].weight, error: abs(error), cutoff: cutoff)
          shares.add(weight, error, of: places.column[index], to: ownKnown, ownSums)
        }
        start = next
        bell.forEachNode(of: field.rows, over: size.height, around: y) { row, share in
          let (known, sums) = (known + row * columns, sums + row * columns)
          for column in 0..<columns {
            known[column] += share * ownKnown[column]
            sums[column] += share * ownSums[column]
          }
        }
      }
    }
    let values = field.values.indices.map { node in
      field.values[node] + Float(sums[2 * columns + count + node] / (sums[2 * columns + node] + doubt))
    }
    return SmoothField(columns: columns, rows: field.rows, size: size, values: values)
  }

  /// The biweight, close to a Gaussian of 0.378 times its radius, along each axis.
  private struct Bell {
    /// In pixels; from here on it is 0.
    let radius: Double
    /// In pixels of a height of 1.
    var volume: Double { (16.0 / 15 * radius) * (16.0 / 15 * radius) }

    /// The nodes along an axis that a place tells something of, and how much.
    @inline(__always)
    func forEachNode(
      of count: Int, over extent: Int, around centre: Double, _ body: (_ node: Int, _ share: Double) -> Void
    ) {
      let step = Double(extent - 1) / Double(count - 1)
      let first = max(0, Int(((centre - radius) / step).rounded(.up)))
      let last = min(count - 1, Int((centre + radius) / step))
      guard first <= last else { return }
      for node in first...last {
        let t = (Double(node) * step - centre) / radius
        body(node, (1 - t * t) * (1 - t * t))
      }
    }
  }
}
