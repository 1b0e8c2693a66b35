import Frames

/// What choosing costs: the one formula that Selection minimises.
///
/// Every contested cell c follows one candidate f(c), a frame or the median. The cost is
///
///     E(f) = sum over cells c of evidence(c, f(c)) + sum over neighbours c, d of seam(c, d, f(c), f(d))
///
///     evidence(c, i) = sum over the cell's pixels of
///                          backing * log of how much more the best backed candidate is backed than i
///                        + detection * how surely the detector sees somebody in what i shows, or overlooks him
///                        + medianLead where i is not the median
///                        + uncovered where i does not show the pixel
///                        + occluder * how surely i, where it shows what the median shows, stands before what others show
///                        + near where i does not show what the reference shows, which every frame shows displaced
///                        + soft where i is a frame that lacks edges all over the picture
///                        + doubted * how little is to be believed of a frame i that clips what others show
///                        + mixture where i is the median and the frame that shows most of it in the cell shows
///                          something else
///                      + border * the edges along borders that a rival lacks, of the rival that lacks most among those that
///                        frames show: not two of them against seven that show what i shows in the cell's middle, or one
///                        against four wherever they differ (in rain or snow two against three), nor a median that none
///                        shows all of in the cell against two that show all of i there, unless somebody is seen in those
///                      + impossible * pixels where the cell must follow another frame, where i shows none of it, and
///                        where i is the median and fewer than two frames show what it shows at any pixel: a mixture
///                        that nobody ever saw
///     seam(c, d, i, j) = how visible a seam between i and j is along the side of c and d, in pixels, + freeSeam / unit
///
/// in pixels of a seam that shows fully. Where somebody stays whom no frame shows gone, borders tell nothing, since they make
/// half people cheap, and every seam costs `division` / unit more: dark coats would hide it. Costs are whole `unit`ths, so that sums do not depend on their order.
struct EnergyWeights: Sendable, CustomStringConvertible {
  /// Whole numbers that are one pixel of a seam.
  static let unit: Float = 31

  /// Of a pixel that is backed by e times less than another candidate.
  let backing: Float = 0.05
  /// Of a pixel in which a detector saw somebody for certain.
  let detection: Float = 0.08
  /// Of a pixel of what most frames show that surely stands before what others show: more than what speaks for the many.
  let occluder: Float = 0.12
  /// Of a pixel that does not show what stands near in the reference, and in all frames.
  let near: Float = 0.16
  /// Of a pixel that is not the median's.
  let medianLead: Float = 0.02
  /// Of a pixel that the frame does not show: the other sources fill it in. More, and somebody at the rim would be
  /// followed for the sake of a few columns that he shows.
  let uncovered: Float = 0.5
  /// Of a pixel of a frame that is blurred or displaced.
  let soft: Float = 0.5
  /// Of a pixel of a frame that is clipped and says nothing of what is there, unlike the others.
  let doubted: Float = 0.1
  /// Of a pixel of the median that even the frame nearest to it does not show: there it is put together of several
  /// frames, as branches in the wind and people in a crowd are. More, and what is free in most frames, and a little
  /// different in each, is given up for somebody whom one frame shows.
  let mixture: Float = 0.1
  /// Of a pixel of what may not be.
  let impossible: Float = 1000
  /// Of a pixel of border with edges that a rival lacks throughout.
  let border: Float = 8
  /// Distances, in standard deviations, at which a seam begins to show and at which it shows fully.
  let seam: ClosedRange<Float> = 2...6
  /// What a seam costs along a cell's side where nobody would see it, in `unit`ths, so that choices do not change for
  /// nothing.
  let freeSeam = 1
  /// What a seam costs in addition along a cell's side where people are kept whole, in `unit`ths.
  let division: Int32 = 8

  static let standard = EnergyWeights()

  /// How visible a seam is between pixels that lie so far apart, in units of the noise, 0...1.
  func visibility(squaredDistance: Float) -> Float {
    min(max((squaredDistance.squareRoot() - seam.lowerBound) / (seam.upperBound - seam.lowerBound), 0), 1)
  }

  /// A cost in pixels of a seam as a whole number.
  @inline(__always)
  static func whole(_ pixels: Float) -> Int { Int((pixels * unit).rounded(.toNearestOrAwayFromZero)) }

  var description: String {
    """
    E = \(backing) log(backing) + \(detection) detection + \(occluder) occluder + \(near) near + \(medianLead) not median + \(uncovered) uncovered \
    + \(soft) soft + \(doubted) doubted + \(mixture) mixture + \(border) border + seam(\(seam.lowerBound)...\(seam.upperBound) sigma) + \(freeSeam)/\(Int(Self.unit)) a side; without borders and + \(division)/\(Int(Self.unit)) a side where people are kept whole
    """
  }
}

/// The cost of following candidates, with all its terms.
struct Energy: Sendable {
  let cells: ContestedCells
  let candidates: Int
  let evidence: CandidateCosts
  private(set) var seams: SeamCosts
  /// What edits demand; nil for nothing.
  private(set) var demands: Demands?
  /// Cells in which people are kept whole; nil for none.
  private var places: RegionMask?

  init(cells: ContestedCells, candidates: Int, evidence: CandidateCosts, seams: SeamCosts) {
    self.cells = cells
    self.candidates = candidates
    self.evidence = evidence
    self.seams = seams
  }

  /// The same with what edits demand.
  func demanding(_ demands: Demands?) -> Energy {
    var energy = self
    energy.demands = demands
    return energy
  }

  /// The same with other seams.
  func with(_ seams: SeamCosts) -> Energy {
    var energy = self
    energy.seams = seams
    return energy
  }

  /// The same where people are kept whole in some cells.
  func keepingWhole(in places: RegionMask) -> Energy {
    var energy = self
    energy.places = places
    return energy
  }

  /// What a candidate costs that a cell may not follow.
  private static let impossible =
    Int32(EnergyWeights.whole(EnergyWeights.standard.impossible * Float(CellGrid.side * CellGrid.side)))

  /// The cost of a candidate in a cell, whatever its neighbours follow.
  @inline(__always)
  func cost(_ k: Int, _ candidate: Int) -> Int32 {
    let place = k &* candidates &+ candidate
    var cost = evidence.costs.base[place].total &+ seams.towardsSettled.base[place]
    if isKeptWhole(k) { cost &-= evidence.costs.base[place].borders }
    guard let demands, !demands.allows(candidate, in: cells.cells[k]) else { return cost }
    return cost &+ Self.impossible
  }

  /// The cost of a seam between two candidates along a side.
  @inline(__always)
  func seam(_ side: SeamCosts.Side, _ a: UInt8, _ b: UInt8) -> Int32 {
    a == b ? 0 : seams.cost(of: side, a, b) &+ division(of: side)
  }

  /// What any seam along a side costs in addition.
  @inline(__always)
  func division(of side: SeamCosts.Side) -> Int32 {
    guard places != nil, isKeptWhole(Int(side.first)) || isKeptWhole(Int(side.second)) else { return 0 }
    return EnergyWeights.standard.division
  }

  @inline(__always)
  private func isKeptWhole(_ k: Int) -> Bool { places?.isSet[cells.cells[k]] ?? false }

  /// What a choice costs, by its terms.
  func callAsFunction(_ choice: [UInt8]) -> Terms {
    var terms = Terms()
    for (k, candidate) in choice.enumerated() { terms += self.terms(k, candidate) }
    terms.seams = seams(of: choice)
    return terms
  }

  /// What all seams cost.
  func seams(of choice: [UInt8]) -> Int {
    let towardsSettled = choice.enumerated().reduce(0) {
      $0 + Int(seams.towardsSettled[$1.offset * candidates + Int($1.element)])
    }
    return seams.sides.reduce(towardsSettled) {
      $0 + Int(seam($1, choice[Int($1.first)], choice[Int($1.second)]))
    }
  }

  /// What each of some regions costs more where it alone follows another choice, by its terms.
  /// - Parameter regions: positions of contested cells; no side lies between two of them.
  func changes(from choice: [UInt8], to other: [UInt8], in regions: [[Int]]) -> [Terms] {
    var changes = regions.map { $0.reduce(into: Terms()) { $0 += terms($1, other[$1]) - terms($1, choice[$1]) } }
    var region = [Int?](repeating: nil, count: choice.count)
    for (index, cells) in regions.enumerated() {
      for k in cells { region[k] = index }
    }
    for side in seams.sides {
      let (first, second) = (Int(side.first), Int(side.second))
      guard let index = region[first] ?? region[second] else { continue }
      let then = seam(
        side, region[first] == nil ? choice[first] : other[first],
        region[second] == nil ? choice[second] : other[second])
      changes[index].seams += Int(then - seam(side, choice[first], choice[second]))
    }
    return changes
  }

  /// What a cell costs, and its sides towards settled ones.
  private func terms(_ k: Int, _ candidate: UInt8) -> Terms {
    let cost = evidence.costs[k * candidates + Int(candidate)]
    var terms = Terms(
      pixels: Int(cost.total - cost.borders), borders: isKeptWhole(k) ? 0 : Int(cost.borders),
      seams: Int(seams.towardsSettled[k * candidates + Int(candidate)]))
    if let demands, !demands.allows(Int(candidate), in: cells.cells[k]) { terms.pixels += Int(Self.impossible) }
    return terms
  }

  /// In `EnergyWeights.unit`ths of a pixel of a seam.
  struct Terms: Sendable, Hashable, CustomStringConvertible {
    /// Backing, detections, the median's lead, and what frames do not show.
    var pixels = 0
    /// Edges along borders.
    var borders = 0
    var seams = 0

    var total: Int { pixels + borders + seams }

    /// Of what frames show at pixels, beside seams, where plates are compared: who is seen there would outweigh any seam that
    /// cuts him in two.
    private static let pixelShare = 0.2

    /// What plates are compared by. Edges along borders, which make half people cheap, tell nothing.
    var shown: Double { Double(seams) + Self.pixelShare * Double(pixels) }

    static func += (sum: inout Terms, terms: Terms) {
      sum.pixels += terms.pixels
      sum.borders += terms.borders
      sum.seams += terms.seams
    }

    static func - (terms: Terms, others: Terms) -> Terms {
      Terms(
        pixels: terms.pixels - others.pixels, borders: terms.borders - others.borders, seams: terms.seams - others.seams
      )
    }

    var description: String { "\(total) = \(pixels) pixels + \(borders) borders + \(seams) seams" }
  }
}
