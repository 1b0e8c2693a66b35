import Frames

/// A box in which a network sees somebody, in shares of the picture's width and height.
struct ScoredBox {
  let x: Float
  let y: Float
  let width: Float
  let height: Float
  /// 0...1.
  let score: Float

  /// In pixels of a picture; nil for what no picture holds.
  func detection(in size: Size) -> Detection? {
    func pixels(_ share: Float, _ length: Int) -> Int? {
      Int(exactly: (Double(share) * Double(length)).rounded(.towardZero))
    }
    guard let x = pixels(x, size.width), let y = pixels(y, size.height), let width = pixels(width, size.width),
      let height = pixels(height, size.height), [x, y, width, height].allSatisfy({ abs($0) <= Self.farthest })
    else { return nil }
    return Detection(box: Region(x: x, y: y, width: width, height: height), score: score)
  }

  private static let farthest = 1 << 28
}

/// Boxes of which none overlaps a surer one by more than a share of what both cover, the surest first.
func surest(_ detections: [Detection], overlap most: Float, count: Int) -> [Detection] {
  // What is found first goes first where scores are the same.
  let order = detections.indices.sorted { (-detections[$0].score, $0) < (-detections[$1].score, $1) }
  var kept: [Detection] = []
  for index in order {
    guard kept.count < count else { break }
    let one = detections[index]
    if kept.allSatisfy({ one.box.overlap(with: $0.box) <= most }) { kept.append(one) }
  }
  return kept
}

extension Region {
  /// What both cover as a share of what they cover together (Jaccard's index); 1 where neither covers anything.
  fileprivate func overlap(with other: Region) -> Float {
    let both = intersection(other).area
    let either = area + other.area - both
    return either == 0 ? 1 : Float(Double(both) / Double(either))
  }
}
