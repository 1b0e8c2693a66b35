import Frames

/// What is wrong in a plate, sorted by what became of people; in pixels.
struct PeopleCount {
  /// Of people who are left as one frame shows them, from head to foot, and who hide something that fewer than two
  /// frames show free.
  var whole = 0
  /// Of people who are left in pieces: no single frame explains them.
  var mangled = 0
  /// What else is wrong although two frames or more show it free.
  var avoidable = 0
}

/// What the frames of a burst show of the part of the reference that a plate shows.
struct ShownPeople {
  let size: Size
  /// Luma, by frame.
  private let views: [[Double]]
  /// By frame, whom a pixel shows: connected people have one number; 0 for nobody.
  private let people: [[Int]]
  /// How many frames show a pixel free.
  private let free: [Int]

  /// Luma levels within which a frame explains a pixel.
  private static let explained = 16.0
  /// The share of the pixels that the frame must explain, of what is wrong and of whoever it shows there.
  private static let explainedShare = 0.85
  /// The share of somebody's pixels that fewer than two frames must show free.
  private static let hidingShare = 0.1
  /// Pixels over which what is wrong still belongs to one person.
  private static let reach = 5
  /// Fewer pixels are nobody.
  private static let fewest = 12

  /// - Parameters:
  ///   - views: the luma of that part, by frame.
  ///   - hidden: the pixels of that part that somebody hides, by frame.
  init(views: [[Double]], hidden: [RegionMask], size: Size) {
    self.size = size
    self.views = views
    people = hidden.map { mask in
      var numbers = [Int](repeating: 0, count: size.area)
      for (number, pixels) in mask.regions(of: true, joinedOver: .square(1)).enumerated() {
        for pixel in pixels { numbers[pixel] = number + 1 }
      }
      return numbers
    }
    free = (0..<size.area).map { pixel in hidden.count { !$0.isSet[pixel] } }
  }

  /// - Parameters:
  ///   - wrong: which of the plate's pixels are wrong.
  ///   - plate: its luma, at the reference's exposure.
  func sort(_ wrong: [Bool], in plate: [Double]) -> PeopleCount {
    var count = PeopleCount()
    var isFine = [Bool](repeating: false, count: size.area)
    for pixels in RegionMask(size: size, isSet: wrong).regions(of: true, joinedOver: .square(Self.reach)) {
      guard pixels.count >= Self.fewest else { continue }
      if !isOneFrames(pixels, plate) {
        count.mangled += pixels.count
      } else if Double(pixels.count { free[$0] < 2 }) >= Self.hidingShare * Double(pixels.count) {
        count.whole += pixels.count
        for pixel in pixels { isFine[pixel] = true }
      }
    }
    count.avoidable = wrong.indices.count { wrong[$0] && !isFine[$0] && free[$0] >= 2 }
    return count
  }

  /// Whether one frame shows all that stands at some pixels of a plate, and nothing of it is cut off there.
  private func isOneFrames(_ pixels: [Int], _ plate: [Double]) -> Bool {
    func share(_ frame: Int, of pixels: [Int]) -> Double {
      Double(pixels.count { abs(views[frame][$0] - plate[$0]) < Self.explained }) / Double(max(pixels.count, 1))
    }
    let shares = views.indices.map { share($0, of: pixels) }
    guard let best = shares.indices.max(by: { shares[$0] < shares[$1] }), shares[best] >= Self.explainedShare else {
      return false
    }
    let shown = Dictionary(grouping: pixels.map { people[best][$0] }.filter { $0 > 0 }) { $0 }
    guard let somebody = shown.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.key else {
      return true
    }
    return share(best, of: people[best].indices.filter { people[best][$0] == somebody }) >= Self.explainedShare
  }
}
