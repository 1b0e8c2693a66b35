/// Exposures that differ by steps, over and over: -2, 0, +2, -2, 0, +2 stops.
enum Brackets {
  /// Stops between two exposures of a bracket at least: a camera that measures anew changes by less.
  private static let step = 0.6
  /// Stops by which what was set and what was written may differ.
  private static let tolerance = 0.25
  /// Shots of one bracket.
  private static let lengths = 2...9

  /// - Parameter stops: of each shot; nil where it is not told.
  /// - Returns: the stops between the darkest and the brightest; nil for what is no bracket.
  static func stops(of stops: [Double?]) -> Double? {
    let known = stops.compactMap(\.self)
    guard known.count == stops.count, known.count >= 2, let least = known.min(), let most = known.max() else {
      return nil
    }
    let isBracket = lengths.contains { length in
      guard known.count % length == 0 else { return false }
      let levels = known.prefix(length).sorted()
      return zip(levels, levels.dropFirst()).allSatisfy { $1 - $0 >= step }
        && known.indices.allSatisfy { abs(known[$0] - known[$0 % length]) <= tolerance }
    }
    return isBracket ? most - least : nil
  }
}
