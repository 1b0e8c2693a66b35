/// How frames show a near thing displaced: by the votes of its squares.
///
/// A thing moves as one; people who stay, clouds and leaves are found here and there.
struct ThingMotion: Sendable {
  private let search: DisplacedPatches
  /// By frame, how the thing is displaced, and what lies next to that: it is by fractions of a pixel.
  private let found: [(frame: Int, displacements: [DisplacedPatches.Displacement])]

  /// One frame in so many may show something else: whoever walks by stands before the thing.
  private static let excused = 5
  /// Squares that are asked: at least, since a few are alike by chance, and at most.
  private static let (fewestAsked, mostAsked) = (6, 48)

  /// - Parameter squares: the thing's.
  /// - Returns: nil unless nearly every frame shows half of it displaced alike.
  init?(of squares: [DisplacedSquare], _ search: DisplacedPatches) {
    guard squares.count >= Self.fewestAsked else { return nil }
    let step = (squares.count + Self.mostAsked - 1) / Self.mostAsked
    let asked = stride(from: 0, to: squares.count, by: step).map { squares[$0] }
    let sought = asked.map { $0.sought(displacedBy: search.displacements, search) }
    var found: [(frame: Int, displacements: [DisplacedPatches.Displacement])] = []
    for (place, frame) in search.others.enumerated() {
      let isShown = zip(asked, sought).compactMap { $0.isShown(by: frame, $1, search) }
      let counts = search.displacements.indices.map { shift in isShown.count { $0[shift] } }
      guard let most = counts.max(), 2 * most >= max(isShown.count, Self.fewestAsked),
        let shift = counts.firstIndex(of: most)
      else {
        guard Self.isExcused(place + 1 - found.count, of: search.others.count) else { return nil }
        continue
      }
      found.append((frame, search.displacements(nextTo: shift)))
    }
    (self.search, self.found) = (search, found)
  }

  /// Whether most frames show a square displaced as the thing is, of those that reach that far.
  func takes(_ square: DisplacedSquare) -> Bool {
    let isShown = found.compactMap { square.isShown(by: $0.frame, displacedBy: $0.displacements, search) }
    return 2 * isShown.count { $0 } >= isShown.count
  }

  /// Whether so many of some frames may show something else, or nothing of a place.
  static func isExcused(_ missing: Int, of frames: Int) -> Bool { excused * missing <= frames }
}
