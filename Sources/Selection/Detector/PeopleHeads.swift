import Glibc

/// What SSDLite says (boxes after Liu et al., "SSD: Single Shot MultiBox Detector", ECCV 2016) on maps from fine to coarse:
/// of every cell, for some boxes that it expects, how one lies there, and whether it is somebody.
enum PeopleHeads {
  /// Maps; of each come two outputs, offsets of boxes and who is there.
  static let maps = 6
  /// It has learned offsets from places in these units, and logarithms of sizes in those.
  private static let (placeUnit, sizeUnit): (Float, Float) = (10, 5)

  /// A box that a cell expects, in shares of the picture.
  private struct Anchor {
    let width: Float
    let height: Float

    init(scale: Float, aspect: Float) {
      (width, height) = (scale * aspect.squareRoot(), scale / aspect.squareRoot())
    }
  }

  /// How many boxes every cell of a map expects.
  static func boxes(map: Int) -> Int { anchors[map].count }

  /// By map, in the order of the answers.
  private static let anchors: [[Anchor]] = (0..<maps).map { map in
    func scale(_ map: Int) -> Float { map < maps ? 0.2 + 0.15 * Float(map) : 1 }
    if map == 0 { return [(0.1, 1), (0.2, 2), (0.2, 0.5)].map { Anchor(scale: $0, aspect: $1) } }
    return [1, 2, 0.5, 3, 1 / 3].map { Anchor(scale: scale(map), aspect: $0) }
      + [Anchor(scale: (scale(map) * scale(map + 1)).squareRoot(), aspect: 1)]
  }

  /// Boxes of at least a score around people.
  static func boxes(_ answers: [Answer], threshold: Float) -> [ScoredBox] {
    var boxes: [ScoredBox] = []
    for map in 0..<maps {
      let (offsets, scores) = (answers[2 * map], answers[2 * map + 1])
      let (rows, columns) = (scores.volume.height, scores.volume.width)
      for (index, anchor) in anchors[map].enumerated() {
        for cell in 0..<rows * columns {
          // Of each box: nobody, somebody; and y, x, height, width.
          let score = logistic(scores[2 * index + 1, cell])
          guard score >= threshold else { continue }
          func offset(_ number: Int) -> Float { offsets[4 * index + number, cell] }
          let y = (Float(cell / columns) + 0.5) / Float(rows) + offset(0) / placeUnit * anchor.height
          let x = (Float(cell % columns) + 0.5) / Float(columns) + offset(1) / placeUnit * anchor.width
          let height = anchor.height * expf(offset(2) / sizeUnit)
          let width = anchor.width * expf(offset(3) / sizeUnit)
          boxes.append(ScoredBox(x: x - width / 2, y: y - height / 2, width: width, height: height, score: score))
        }
      }
    }
    return boxes
  }
}
