import Frames
import Glibc
import ShimSupport

/// What an output of YOLO says (Redmon and Farhadi, "YOLOv3: An Incremental Improvement", 2018): of every place, for some sizes of
/// boxes, where and how large one is there, whether there is one, and what it shows.
struct YoloHead: Sendable {
  /// Pixels of what the network looks at.
  let anchors: [(width: Float, height: Float)]
  private let classes: Int
  /// Scores that are no more count as none.
  private let least: Float
  /// By how much boxes may leave the place that they are found at.
  private let spread: Float

  /// Numbers of a box before its classes.
  private static let ownNumbers = 5

  var channels: Int { anchors.count * (Self.ownNumbers + classes) }

  /// - Throws: `ShimError` when it has settings that are unknown here.
  init(_ section: DarknetSection) throws(ShimError) {
    try section.demand("new_coords", "0")
    classes = try section.number("classes", 20, in: 1...10_000)
    let all = try section.values("anchors") ?? []
    let count = try section.number("num", 1, in: 1...1000)
    let mask = try section.numbers("mask") ?? Array(0..<count)
    guard mask.allSatisfy({ $0 >= 0 && 2 * $0 + 1 < all.count }) else { throw section.wrong("anchors") }
    anchors = mask.map { (all[2 * $0], all[2 * $0 + 1]) }
    least = try section.values("thresh")?.first ?? 0.2
    spread = try section.values("scale_x_y")?.first ?? 1
  }

  /// Boxes of at least a score around what moves.
  /// - Parameter seen: pixels of what the network looked at.
  func boxes(_ answer: Answer, seen: Size, threshold: Float) -> [ScoredBox] {
    let (rows, columns) = (answer.volume.height, answer.volume.width)
    var boxes: [ScoredBox] = []
    for place in 0..<rows * columns {
      for (index, anchor) in anchors.enumerated() {
        let first = index * (Self.ownNumbers + classes)
        let presence = logistic(answer[first + 4, place])
        // No class is surer than that.
        guard presence > least, presence >= threshold else { continue }
        let (kind, score) = best(answer, first + Self.ownNumbers, place, presence)
        guard score >= threshold, isMover(kind) else { continue }
        func centre(_ channel: Int) -> Float { (logistic(answer[first + channel, place]) - 0.5) * spread + 0.5 }
        let x = (Float(place % columns) + centre(0)) / Float(columns)
        let y = (Float(place / columns) + centre(1)) / Float(rows)
        let width = expf(answer[first + 2, place]) * anchor.width / Float(seen.width)
        let height = expf(answer[first + 3, place]) * anchor.height / Float(seen.height)
        boxes.append(ScoredBox(x: x - width / 2, y: y - height / 2, width: width, height: height, score: score))
      }
    }
    return boxes
  }

  /// The first class of the best score.
  private func best(_ answer: Answer, _ first: Int, _ place: Int, _ presence: Float) -> (kind: Int, score: Float) {
    var best: (kind: Int, score: Float) = (0, 0)
    for kind in 0..<classes {
      let score = presence * logistic(answer[first + kind, place])
      if score > least, score > best.score { best = (kind, score) }
    }
    return best
  }
}

func logistic(_ value: Float) -> Float { 1 / (1 + expf(-value)) }

/// Classes of COCO that walk, drive or fly through pictures: people, vehicles and animals, without aeroplanes, trains, and what
/// stands in streets.
private func isMover(_ kind: Int) -> Bool { [0...3, 5...5, 7...8, 14...23].contains { $0.contains(kind) } }
