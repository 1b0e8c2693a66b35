import Frames

/// What belongs to somebody whom a detector saw without being part of him, above all the shadow that he casts. A detector's
/// box ends at his feet; but the very frames that show him show his shadow, and all others show something else.
struct CastShadows {
  let candidates: Candidates
  /// Who stands with whom; without detections.
  let companions: Companions
  let cells: ContestedCells

  /// Cells over which a shadow reaches beyond a box.
  private static let reach = 16
  /// What is known of a shadow, as a share of what is known of whoever casts it.
  private static let share: Float = 0.8

  init(of candidates: Candidates, _ agreement: Agreement) {
    self.candidates = candidates
    companions = Companions(candidates: candidates, agreement: agreement)
    cells = agreement.cells
  }

  /// Adds shadows to what was seen in a frame.
  /// - Parameter plane: how surely somebody is seen, 0...255.
  func add(to plane: PlaneBuilder, frame: Int) {
    var parties: [Int: CandidateSet] = [:]
    func party(_ k: Int) -> CandidateSet {
      if let known = parties[k] { return known }
      let found = self.party(of: frame, in: cells.cells[k])
      parties[k] = found
      return found
    }
    // Of those who are seen for certain.
    var certainty = cells.cells.map { cell in
      let value = value(of: plane, in: cell)
      return Float(value) > 255 * Companions.certainly ? value : 0
    }
    var front = certainty.indices.filter { certainty[$0] > 0 }
    for _ in 0..<Self.reach {
      var next: [Int] = []
      for k in front {
        for direction in Direction.allCases {
          guard let other = cells.neighbour(of: k, direction), certainty[other] == 0 else { continue }
          let together = party(k)
          guard together != 0, party(other) == together else { continue }
          certainty[other] = certainty[k]
          next.append(other)
          raise(plane, in: cells.cells[other], to: UInt8(Self.share * Float(certainty[k])))
        }
      }
      front = next
    }
  }

  /// The frames that show the same as a frame in a cell, if they are several and all others show something else that they
  /// agree about; 0 otherwise. Where everybody shows something else, such as in a dense crowd, nothing belongs together.
  private func party(of frame: Int, in cell: Int) -> CandidateSet {
    let together = companions.frames(with: frame, in: cell)
    let others = candidates.everyFrame & ~together
    guard together.nonzeroBitCount > 1, others != 0,
      others & ~companions.frames(with: others.trailingZeroBitCount, in: cell) == 0
    else { return 0 }
    return together
  }

  /// What is known at a cell's middle.
  private func value(of plane: PlaneBuilder, in cell: Int) -> UInt8 {
    let (x, y) = candidates.grid.middle(of: cell)
    return plane.row(y, as: UInt8.self)[x]
  }

  private func raise(_ plane: PlaneBuilder, in cell: Int, to value: UInt8) {
    let pixels = candidates.grid.pixels(of: cell)
    for y in pixels.rows {
      let row = plane.row(y, as: UInt8.self)
      for x in pixels.columns { row[x] = max(row[x], value) }
    }
  }
}
