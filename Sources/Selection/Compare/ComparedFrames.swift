/// The frames that are compared with each other: all of a burst, or evenly spread ones of many.
struct ComparedFrames: Sendable {
  /// Their positions in the list of registered frames, ascending.
  let positions: [Int]
  /// Where the reference stands in `positions`.
  let reference: Int

  /// - Parameters:
  ///   - count: registered frames.
  ///   - reference: the reference's position among them.
  ///   - named: further positions that must be among the compared; of more than fit, the first.
  init(among count: Int, reference: Int, including named: [Int] = []) {
    let most = Candidates.mostFrames
    var positions = Array(0..<count)
    if count > most {
      positions = (0..<most).map { $0 * (count - 1) / (most - 1) }
      var needed: [Int] = []
      for position in [reference] + named where !needed.contains(position) && needed.count < most {
        needed.append(position)
        guard !positions.contains(position) else { continue }
        let replaceable = positions.indices.filter { !needed.contains(positions[$0]) }
        let nearest = replaceable.min { abs(positions[$0] - position) < abs(positions[$1] - position) }
        if let nearest { positions[nearest] = position }
      }
      positions.sort()
    }
    self.positions = positions
    self.reference = positions.firstIndex(of: reference) ?? 0
  }

  /// What is known by position among the compared frames, by position in the list of registered frames.
  func named<Value>(_ values: [Int: Value]) -> [Int: Value] {
    Dictionary(uniqueKeysWithValues: values.map { (positions[$0], $1) })
  }
}
