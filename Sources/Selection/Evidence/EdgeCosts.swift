import Frames

/// The costs of one cell after another that edges along borders make, in pixels of a seam.
///
/// By chance one passer-by's outline may look smoother than a wall, but not all along: borders are weighed over a window
/// of cells, whose sums are carried on from row to row and from cell to cell. All along a lamp post, before which somebody in
/// dark clothes stands whom the hedge behind hides, it does: many frames are not given up for the edges that few lack. A flake of
/// snow before leaves is so small that it does by chance.
struct EdgeCosts {
  /// Cells to each side over which borders are weighed together.
  private static let window = 3
  /// Borders that a pair must have in the window before they tell half of what they say.
  private static let doubt: Float = 8
  /// So many times as many frames as show what a rival shows are not given up for the edges that it lacks, unless somebody is
  /// seen in them; streaks of rain and flakes of snow hide edges everywhere.
  private static let majority = (usual: 3.5, inPrecipitation: 1.5)
  /// Frames that must show the same all over a cell, so that a median that none shows there tells nothing against it, unless
  /// somebody is seen in them.
  private static let together = 2

  private struct Sum: BitwiseCopyable {
    var excess: Int32 = 0
    var count: Int32 = 0
  }

  private(set) var costs: [Float]
  private let companions: Companions
  private let isDry: Bool
  private let majority: Double
  private let pairs: Int
  private let borders: Borders
  /// Sums over the rows of the window around `row`, by column and pair.
  private var vertical: [Sum]
  private var row: Int?
  /// Sums over the window around `column`, by pair.
  private var sums: [Sum]
  private var column = 0

  init(_ companions: Companions, _ borders: Borders) {
    self.companions = companions
    self.borders = borders
    isDry = companions.precipitation == nil
    majority = isDry ? Self.majority.usual : Self.majority.inPrecipitation
    pairs = companions.candidates.pairCount
    costs = Array(repeating: 0, count: companions.candidates.count)
    vertical = Array(repeating: Sum(), count: companions.agreement.cells.grid.columns * pairs)
    sums = Array(repeating: Sum(), count: pairs)
  }

  private var candidates: Candidates { companions.candidates }
  private var agreement: Agreement { companions.agreement }
  private var cells: ContestedCells { agreement.cells }

  /// - Parameter k: a contested cell after the one before.
  mutating func take(_ k: Int) {
    move(toRow: cells.grid.row(of: cells.cells[k]))
    move(toColumn: cells.grid.column(of: cells.cells[k]))
    for candidate in costs.indices { costs[candidate] = 0 }
    let own = borders.borders.base + k * pairs
    var pair = 0
    for a in 0..<candidates.count - 1 {
      for b in a + 1..<candidates.count {
        defer { pair += 1 }
        guard own[pair].count > 0 else { continue }
        // Each border counts at either end, hence the halves.
        let mean =
          0.5 * Float(sums[pair].excess) / Float(Borders.shareUnit) / (0.5 * Float(sums[pair].count) + Self.doubt)
        let cost = EnergyWeights.standard.border * 0.5 * Float(own[pair].count) * abs(mean)
        let (loser, rival) = mean > 0 ? (a, b) : (b, a)
        if cost > costs[loser], tells(rival, against: loser, in: k) { costs[loser] = cost }
      }
    }
  }

  /// Whether edges that a rival lacks in the contested cell `k` tell anything against a candidate. A median that no frame shows
  /// is smooth since it is put together.
  private func tells(_ rival: Int, against candidate: Int, in k: Int) -> Bool {
    let cell = cells.cells[k]
    let sets = agreement.sets(inMiddleOf: k)
    // What stands near has an outline, and stays.
    if companions.isNear(cell), sets[candidates.reference].same.contains(candidate) { return false }
    guard sets[rival].same & candidates.everyFrame != 0 else { return rival != candidates.median }
    let isOutnumbered =
      isOutnumbered(rival, against: candidate, in: k)
      || rival == candidates.median && companions.frames(with: rival, in: cell) == 0
        && companions.frames(with: candidate, in: cell).nonzeroBitCount >= Self.together
    return !isOutnumbered || companions.showSomebody(with: candidate, in: cell)
  }

  /// Whether so many more frames show what a candidate shows than what a rival shows: in the middle of the contested cell `k`, or
  /// wherever the two differ in it, if it rains or one frame alone shows what the rival does.
  private func isOutnumbered(_ rival: Int, against candidate: Int, in k: Int) -> Bool {
    func frames(_ sets: UnsafePointer<Agreement.Sets>, with candidate: Int) -> Int {
      (sets[candidate].same & candidates.everyFrame).nonzeroBitCount
    }
    func isOutnumbered(_ sets: UnsafePointer<Agreement.Sets>) -> Bool {
      Double(frames(sets, with: candidate)) >= majority * Double(frames(sets, with: rival))
    }
    if isOutnumbered(agreement.sets(inMiddleOf: k)) { return true }
    var differs = false
    for y in 0..<CellGrid.side {
      for x in 0..<CellGrid.side {
        let sets = agreement.sets(contested: k, x: x, y: y)
        guard sets[rival].other.contains(candidate) else { continue }
        guard !isDry || frames(sets, with: rival) == 1, isOutnumbered(sets) else { return false }
        differs = true
      }
    }
    return differs
  }

  private mutating func move(toRow next: Int) {
    guard row != next else { return }
    if let row, next - row <= Self.window {
      for r in row + 1...next {
        add(row: r + Self.window, 1)
        add(row: r - Self.window - 1, -1)
      }
    } else {
      for index in vertical.indices { vertical[index] = Sum() }
      for r in next - Self.window...next + Self.window { add(row: r, 1) }
    }
    row = next
    for pair in sums.indices { sums[pair] = Sum() }
    for c in 0..<Self.window { add(column: c, 1) }
    column = -1
  }

  private mutating func move(toColumn next: Int) {
    while column < next {
      column += 1
      add(column: column + Self.window, 1)
      add(column: column - Self.window - 1, -1)
    }
  }

  private mutating func add(row: Int, _ sign: Int32) {
    let cells = cells
    guard (0..<cells.grid.rows).contains(row) else { return }
    vertical.withUnsafeMutableBufferPointer { vertical in
      for column in 0..<cells.grid.columns {
        guard let k = cells.position(column: column, row: row) else { continue }
        let (target, source) = (vertical.baseAddress! + column * pairs, borders.borders.base + k * pairs)
        for pair in 0..<pairs {
          target[pair].excess &+= sign &* Int32(source[pair].excess)
          target[pair].count &+= sign &* Int32(source[pair].count)
        }
      }
    }
  }

  private mutating func add(column: Int, _ sign: Int32) {
    guard (0..<cells.grid.columns).contains(column) else { return }
    vertical.withUnsafeBufferPointer { vertical in
      sums.withUnsafeMutableBufferPointer { sums in
        let source = vertical.baseAddress! + column * pairs
        for pair in 0..<pairs {
          sums[pair].excess &+= sign &* source[pair].excess
          sums[pair].count &+= sign &* source[pair].count
        }
      }
    }
  }
}
