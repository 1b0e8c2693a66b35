import Frames

/// What edits demand, cell by cell.
struct Demands: Sendable, Hashable {
  /// Which candidates a cell may follow; all where nothing is demanded.
  private(set) var allowed: [CandidateSet]
  /// The cells whose frame was named: nobody needs to be doubted there.
  private(set) var named: RegionMask

  private static let all = ~CandidateSet(0)

  init(in grid: CellGrid) {
    allowed = Array(repeating: Self.all, count: grid.count)
    named = RegionMask(size: grid.size)
  }

  var isEmpty: Bool { !allowed.contains { $0 != Self.all } }

  /// Where something is demanded.
  var cells: RegionMask { RegionMask(size: named.size, isSet: allowed.map { $0 != Self.all }) }

  func allows(_ candidate: Int, in cell: Int) -> Bool { allowed[cell].contains(candidate) }

  func isNamed(_ cell: Int) -> Bool { named.isSet[cell] }

  /// Lets cells follow one frame only, whatever was demanded before.
  mutating func take(_ cells: RegionMask, from frame: Int) {
    for cell in cells.isSet.indices where cells.isSet[cell] {
      allowed[cell] = CandidateSet(only: frame)
      named.isSet[cell] = true
    }
  }

  /// Lets cells follow anybody but some, whatever was demanded before.
  mutating func avoid(_ candidates: CandidateSet, in cells: RegionMask) {
    for cell in cells.isSet.indices where cells.isSet[cell] {
      allowed[cell] = ~candidates
      named.isSet[cell] = false
    }
  }
}
