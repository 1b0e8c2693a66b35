/// Numbers from 0 on in sets, of which two become one as often as wanted: Tarjan, "Efficiency of a good but not linear set union
/// algorithm", J. ACM 1975, with paths halved.
struct DisjointSets {
  /// Of each number, another of its set, or itself, and then it stands for the set; never a larger one.
  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  /// Makes the sets of two numbers one.
  mutating func unite(_ one: Int, _ other: Int) {
    let (one, other) = (root(one), root(other))
    parents[max(one, other)] = min(one, other)
  }

  /// The sets by their least numbers, each in ascending order.
  var groups: [[Int]] {
    var groups: [[Int]] = []
    var places: [Int] = []
    for (number, parent) in parents.enumerated() {
      if parent == number {
        places.append(groups.count)
        groups.append([number])
      } else {
        // Its set's least number came before, and so did its parent.
        places.append(places[parent])
        groups[places[number]].append(number)
      }
    }
    return groups
  }

  private mutating func root(_ number: Int) -> Int {
    var number = number
    while parents[number] != number {
      parents[number] = parents[parents[number]]
      number = parents[number]
    }
    return number
  }
}
