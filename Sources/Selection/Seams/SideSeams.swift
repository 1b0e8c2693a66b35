import CShimKernels
import Frames

/// Measures seams along one side after another: a task's scratch.
final class SideSeams {
  private let candidates: Candidates
  private let shown: Region
  private let pixels: ComparedPixels
  /// With the pixels of the side as they are counted: along it, one within the cell, then the one beyond.
  private var seam = cs_seam()
  /// A bit for each pixel that a candidate does not show, and the plate neither.
  private var hidden: [UInt8]
  private var isAllCovered = true

  /// - Parameter shown: what the plate shows.
  init(_ candidates: Candidates, _ noise: [ComparedNoise], shown: Region) {
    self.candidates = candidates
    self.shown = shown
    pixels = ComparedPixels(candidates, noise, most: 2 * CellGrid.side)
    hidden = Array(repeating: 0, count: candidates.count)
    let weights = EnergyWeights.standard
    seam.lowest = weights.seam.lowerBound
    seam.scale = 1 / (weights.seam.upperBound - weights.seam.lowerBound)
    seam.unit = EnergyWeights.unit
    seam.least = Int32(weights.freeSeam)
  }

  /// Takes the pixels within the cell and beyond that lie along a side.
  func take(cell: Int, _ direction: Direction) {
    let (columns, rows) = pixels(of: cell, direction)
    seam.order =
      switch direction {
      case .right: (0, 1, 2, 3, 4, 5, 6, 7)
      case .left: (1, 0, 3, 2, 5, 4, 7, 6)
      case .below: (0, 4, 1, 5, 2, 6, 3, 7)
      case .above: (4, 0, 5, 1, 6, 2, 7, 3)
      }
    pixels.take(columns: columns, rows: rows)
    cover(columns: columns, rows: rows)
  }

  /// Whether every candidate shows the pixels on both sides of a side.
  func areAllShown(cell: Int, _ direction: Direction) -> Bool {
    let (columns, rows) = pixels(of: cell, direction)
    return rows.allSatisfy { y in columns.allSatisfy { isEverybodyThere(covering(x: $0, y: y)) } }
  }

  /// The pixels along a side, within the cell and beyond.
  private func pixels(of cell: Int, _ direction: Direction) -> (columns: Range<Int>, rows: Range<Int>) {
    let (left, top) = candidates.grid.origin(of: cell)
    let side = CellGrid.side
    return switch direction {
    case .right: (left + side - 1..<left + side + 1, top..<top + side)
    case .left: (left - 1..<left + 1, top..<top + side)
    case .below: (left..<left + side, top + side - 1..<top + side + 1)
    case .above: (left..<left + side, top - 1..<top + 1)
    }
  }

  /// Who shows a pixel, or the one next to it where it lies beyond the border.
  private func covering(x: Int, y: Int) -> CandidateSet {
    candidates.covering(x: min(x, candidates.size.width - 1), y: min(y, candidates.size.height - 1))
  }

  private func isEverybodyThere(_ covering: CandidateSet) -> Bool {
    covering == candidates.everyFrame | CandidateSet(only: candidates.median)
  }

  private func cover(columns: Range<Int>, rows: Range<Int>) {
    isAllCovered = true
    for candidate in hidden.indices { hidden[candidate] = 0 }
    let (lastX, lastY) = (candidates.size.width - 1, candidates.size.height - 1)
    var pixel = 0
    for y in rows {
      for x in columns {
        defer { pixel += 1 }
        let covering = covering(x: x, y: y)
        guard !isEverybodyThere(covering) else { continue }
        isAllCovered = false
        let isShown = shown.contains(x: min(x, lastX), y: min(y, lastY))
        for candidate in 0..<candidates.count where !covering.contains(candidate) {
          if isShown {
            pixels.fill(pixel, of: candidate, from: candidates.median)
          } else {
            hidden[candidate] |= 1 << pixel
          }
        }
      }
    }
  }

  /// Writes how visible seams of one candidate with others are along the side that was taken. What a frame does not show
  /// is the median's, or has no seam with anything where the plate does not show it, either.
  func write(of one: Int, with others: Range<Int>, to costs: UnsafeMutablePointer<UInt8>) {
    let distances = pixels.distances(of: one, from: others)
    hidden.withUnsafeBufferPointer { hidden in
      cs_seam_costs(
        &seam, distances, Int32(pixels.stride), Int32(others.count), hidden[one],
        isAllCovered ? nil : hidden.baseAddress! + others.lowerBound, costs)
    }
  }
}
