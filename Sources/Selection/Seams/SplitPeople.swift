import Frames

/// Tells which seams split somebody. Who is there in some frames and gone in others, in the same ones on both sides of a seam,
/// is one: a seam between what those show and what these show splits him.
struct SplitPeople: Sendable {
  let agreement: Agreement
  let everyFrame: CandidateSet

  /// From here on the frames that show the same on either side of a seam are the same ones, as a share of all that do on one.
  private static let leastAlike = 0.5

  /// The frames that show the same as a candidate on either side of a seam.
  struct Shown {
    var here: CandidateSet
    var there: CandidateSet

    /// How many of the frames on either side are on both, 0...1.
    fileprivate var alike: Double {
      let all = (here | there).nonzeroBitCount
      return all == 0 ? 0 : Double((here & there).nonzeroBitCount) / Double(all)
    }
  }

  /// Who shows the same as a candidate along a side.
  func shown(_ candidate: UInt8, beside side: SeamCosts.Side) -> Shown {
    let (here, there) = (agreement.sets(inMiddleOf: Int(side.first)), agreement.sets(inMiddleOf: Int(side.second)))
    return Shown(here: here[Int(candidate)].same & everyFrame, there: there[Int(candidate)].same & everyFrame)
  }

  /// How surely a seam between two candidates along a side splits somebody, 0...1.
  func certainty(of side: SeamCosts.Side, _ first: UInt8, _ second: UInt8) -> Double {
    certainty(shown(first, beside: side), shown(second, beside: side))
  }

  /// The same of two of whom it is known who shows the same.
  func certainty(_ first: Shown, _ second: Shown) -> Double {
    guard first.here & second.here == 0, first.there & second.there == 0 else { return 0 }
    let share = min(first.alike, second.alike)
    return share > Self.leastAlike ? share : 0
  }

  /// How much of a choice's seams splits somebody, cell by cell, in pixels of a seam.
  func split(by choice: [UInt8], _ energy: Energy) -> [Double] {
    let cells = energy.cells
    var split = [Double](repeating: 0, count: cells.grid.count)
    for side in energy.seams.sides {
      let (a, b) = (choice[Int(side.first)], choice[Int(side.second)])
      let cost = energy.seams.cost(of: side, a, b)
      guard cost > EnergyWeights.standard.freeSeam else { continue }
      split[cells.cells[Int(side.first)]] += Double(cost) / Double(EnergyWeights.unit) * certainty(of: side, a, b)
    }
    return split
  }
}
