import Frames

/// The frames that are compared with each other: all of a burst, or evenly spread ones of many.
struct ComparedFrames: Sendable {
  /// Which of the registered frames they are, ascending; a compared frame is counted by its place here.
  let positions: [RegisteredIndex]
  /// Where the reference stands in `positions`.
  let reference: Int

  /// - Parameters:
  ///   - count: registered frames.
  ///   - reference: the reference's position among them.
  ///   - named: further positions that must be among the compared; of more than fit, the first.
  init(among count: Int, reference: RegisteredIndex, including named: [RegisteredIndex] = []) {
    let most = Candidates.mostFrames
    var positions = evenlySpread(most, of: count).map(RegisteredIndex.init(rawValue:))
    if count > most {
      var needed: [RegisteredIndex] = []
      for position in [reference] + named where !needed.contains(position) && needed.count < most {
        needed.append(position)
        guard !positions.contains(position) else { continue }
        let replaceable = positions.indices.filter { !needed.contains(positions[$0]) }
        func distance(_ place: Int) -> Int { abs(positions[place].rawValue - position.rawValue) }
        let nearest = replaceable.min { distance($0) < distance($1) }
        if let nearest { positions[nearest] = position }
      }
      positions.sort()
    }
    self.positions = positions
    self.reference = positions.firstIndex(of: reference) ?? 0
  }

  /// What is known of compared frames, by which of the registered ones they are.
  func named<Value>(_ values: [Int: Value]) -> [RegisteredIndex: Value] {
    Dictionary(uniqueKeysWithValues: values.map { (positions[$0], $1) })
  }
}

/// The places of at most so many among `all`, the first and the last one among them.
/// - Parameter most: 2 or more.
func evenlySpread(_ most: Int, of all: Int) -> [Int] {
  all <= most ? Array(0..<all) : (0..<most).map { $0 * (all - 1) / (most - 1) }
}
