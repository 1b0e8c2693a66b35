/// The frames that are compared with each other: all of a burst, or evenly spread ones of many.
struct ComparedFrames: Sendable {
  /// Their positions in the list of registered frames, ascending.
  let positions: [Int]
  /// Where the reference stands in `positions`.
  let reference: Int

  /// - Parameters:
  ///   - count: registered frames.
  ///   - reference: the reference's position among them.
  init(among count: Int, reference: Int) {
    let most = Candidates.mostFrames
    var positions = Array(0..<count)
    if count > most {
      positions = (0..<most).map { $0 * (count - 1) / (most - 1) }
      if !positions.contains(reference) {
        let nearest = positions.indices.min { abs(positions[$0] - reference) < abs(positions[$1] - reference) }
        if let nearest { positions[nearest] = reference }
      }
    }
    self.positions = positions
    self.reference = positions.firstIndex(of: reference) ?? 0
  }

  /// What is known by position among the compared frames, by position in the list of registered frames.
  func named<Value>(_ values: [Int: Value]) -> [Int: Value] {
    Dictionary(uniqueKeysWithValues: values.map { (positions[$0], $1) })
  }
}
