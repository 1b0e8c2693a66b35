/// A bounded, deterministic hill climb for small median networks.
///
/// Networks begin with sorted groups of wires, which leaves few 0/1 inputs to tell apart (a sorted group of
/// four can hold only 5 of 16 patterns), and since networks are monotone only inputs with about half ones need
/// be tried. With an even number of wires they are kept symmetric: the mirror image of every comparator,
/// (n-1-high, n-1-low), is there too, so that they treat ones as they treat zeros. A change is kept when the
/// network stays right and does not grow.
public struct NetworkSearch {
  public let wires: Int
  /// Comparators that sort disjoint groups of wires; never changed.
  let prefix: [Comparator]
  private var cases: [[BitBlock]]
  /// For every case, whether the upper middle wire must be 1 or 0.
  private var expectsOne: [Bool]
  private var random: SplitMix64

  typealias BitBlock = SIMD8<UInt64>

  /// - Parameters:
  ///   - wires: 4 or more.
  ///   - groupsOfFour: start from sorted quadruples instead of pairs.
  public init(wires: Int, groupsOfFour: Bool, seed: UInt64) {
    self.wires = wires
    var groups: [[Int]] = []
    var next = 0
    while wires - 2 * next >= 2 {
      if groupsOfFour, wires - 2 * next >= 4 {
        groups.append([next, next + 1, wires - 2 - next, wires - 1 - next])
        next += 2
      } else {
        groups.append([next, wires - 1 - next])
        next += 1
      }
    }
    if wires % 2 == 1 { groups.append([wires / 2]) }
    prefix = groups.flatMap { Self.sort($0) }
    (cases, expectsOne) = Self.cases(wires: wires, groups: groups)
    random = SplitMix64(seed: seed)
  }

  private static func sort(_ group: [Int]) -> [Comparator] {
    switch group.count {
    case 2: [Comparator(group[0], group[1])]
    case 4:
      [(0, 3), (1, 2), (0, 1), (2, 3), (1, 2)].map { Comparator(group[$0.0], group[$0.1]) }
    default: []
    }
  }

  /// All patterns of sorted groups with as many ones as must just not, and just must, show on the upper middle
  /// wire; 512 to a case.
  private static func cases(wires: Int, groups: [[Int]]) -> ([[BitBlock]], [Bool]) {
    let justNot = (wires - 1) / 2
    var patterns: [[[Bool]]] = [[], []]
    var counts = [Int](repeating: 0, count: groups.count)
    func visit(_ group: Int, _ ones: Int) {
      if ones > justNot + 1 { return }
      guard group < groups.count else {
        guard ones >= justNot else { return }
        var pattern = [Bool](repeating: false, count: wires)
        for (members, count) in zip(groups, counts) {
          for member in members.suffix(count) { pattern[member] = true }
        }
        patterns[ones - justNot].append(pattern)
        return
      }
      for count in 0...groups[group].count {
        counts[group] = count
        visit(group + 1, ones + count)
      }
    }
    visit(0, 0)
    var cases: [[BitBlock]] = []
    var expectsOne: [Bool] = []
    for (kind, list) in patterns.enumerated() {
      for start in Swift.stride(from: 0, to: list.count, by: 512) {
        var block = [BitBlock](repeating: .zero, count: wires)
        for bit in 0..<512 {
          let pattern = list[min(start + bit, list.count - 1)]
          for wire in 0..<wires where pattern[wire] { block[wire][bit / 64] |= 1 << UInt64(bit % 64) }
        }
        cases.append(block)
        expectsOne.append(kind == 1)
      }
    }
    return (cases, expectsOne)
  }

  /// The suffix of a network: each comparator stands for itself and its mirror image.
  typealias Genome = [Comparator]

  /// The comparator that goes with `c`: `c` itself with an odd number of wires, since comparators at the
  /// middle wire do not commute with their mirror images.
  private func mirror(_ c: Comparator) -> Comparator {
    wires % 2 == 1 ? c : Comparator(wires - 1 - c.high, wires - 1 - c.low)
  }

  private func expand(_ genome: Genome) -> SelectionNetwork {
    var comparators = prefix
    comparators.reserveCapacity(prefix.count + 2 * genome.count)
    for gene in genome {
      comparators.append(gene)
      let other = mirror(gene)
      if other != gene { comparators.append(other) }
    }
    return SelectionNetwork(wires: wires, comparators: comparators)
  }

  /// Drops genes that no output depends on, and returns what the rest costs.
  private func prune(_ genome: inout Genome) -> Int {
    var needed: UInt64 = 0
    for wire in SelectionNetwork.outputs(wires: wires) { needed |= 1 << UInt64(wire) }
    var cost = 0
    var kept = genome.count
    for index in genome.indices.reversed() {
      let gene = genome[index]
      let pair = mirror(gene)
      let mask = UInt64(1) << UInt64(gene.low) | 1 << UInt64(gene.high)
      let mirrored = UInt64(1) << UInt64(pair.low) | 1 << UInt64(pair.high)
      if needed & (mask | mirrored) == 0 { continue }
      let copies = gene == pair ? 1 : 2
      let operations = needed & mask == mask ? 2 : 1
      cost += copies * (operations + 2)
      needed |= mask | mirrored
      kept -= 1
      genome[kept] = gene
    }
    genome.removeFirst(kept)
    return cost
  }

  /// Whether the network is right on all cases; a case that fails moves to the front, where it will sooner
  /// refuse the next.
  private mutating func isRight(_ genome: Genome, scratch: UnsafeMutablePointer<BitBlock>) -> Bool {
    let network = expand(genome).comparators.dropFirst(prefix.count)
    let upper = wires / 2
    for index in cases.indices {
      let lower = wires % 2 == 0 ? upper - 1 : upper
      cases[index].withUnsafeBufferPointer { scratch.update(from: $0.baseAddress!, count: wires) }
      for c in network {
        let (a, b) = (scratch[c.low], scratch[c.high])
        scratch[c.low] = a & b
        scratch[c.high] = a | b
      }
      let either = scratch[lower] | scratch[upper]
      let right = expectsOne[index] ? either == BitBlock(repeating: ~0) : either == .zero
      if !right {
        if index > 0 {
          let target = index / 2
          cases.swapAt(index, target)
          expectsOne.swapAt(index, target)
        }
        return false
      }
    }
    return true
  }

  private mutating func randomComparator() -> Comparator {
    let a = random.next(below: wires)
    var b = random.next(below: wires - 1)
    if b >= a { b += 1 }
    return Comparator(min(a, b), max(a, b))
  }

  private mutating func mutate(_ genome: inout Genome) {
    for _ in 0...random.next(below: 3) {
      guard genome.count > 1 else { return }
      let index = random.next(below: genome.count)
      switch random.next(below: 6) {
      case 0: genome.remove(at: index)
      case 1: genome[index] = randomComparator()
      case 2:
        let other = min(genome.count - 1, index + 1 + random.next(below: 4))
        genome.swapAt(index, other)
      case 3:
        genome.remove(at: index)
        genome.insert(randomComparator(), at: random.next(below: genome.count + 1))
      case 4:
        let gene = genome.remove(at: index)
        genome.insert(gene, at: random.next(below: genome.count + 1))
      default:
        // Exchanges two wires (and their mirror images) from here on.
        let swap = randomComparator()
        let other = mirror(swap)
        func moved(_ wire: Int) -> Int {
          wire == swap.low
            ? swap.high
            : wire == swap.high ? swap.low : wire == other.low ? other.high : wire == other.high ? other.low : wire
        }
        for later in index..<genome.count {
          let (a, b) = (moved(genome[later].low), moved(genome[later].high))
          genome[later] = Comparator(min(a, b), max(a, b))
        }
      }
    }
  }

  /// Climbs `steps` steps from `start`, or from a random network when nil.
  public mutating func run(
    steps: Int, from start: SelectionNetwork? = nil, progress: (SelectionNetwork, Int) -> Void = { _, _ in }
  ) -> SelectionNetwork {
    let scratch = UnsafeMutablePointer<BitBlock>.allocate(capacity: wires)
    scratch.initialize(repeating: .zero, count: wires)
    defer { scratch.deallocate() }
    var current = start.map { genome(of: $0) } ?? randomStart(scratch: scratch)
    var cost = prune(&current)
    precondition(isRight(current, scratch: scratch), "the start is no median network")
    var best = current
    var bestCost = cost
    for step in 0..<steps {
      var candidate = current
      mutate(&candidate)
      let candidateCost = prune(&candidate)
      // Now and then a step up leads out of a dead end.
      let slack = random.next(below: 512) == 0 && cost <= bestCost + 4 ? 4 : 0
      guard candidateCost <= cost + slack, candidate != current, isRight(candidate, scratch: scratch) else { continue }
      current = candidate
      cost = candidateCost
      if cost < bestCost {
        best = current
        bestCost = cost
        progress(expand(best).pruned, step)
      }
    }
    return expand(best).pruned
  }

  /// The suffix of a network that this search produced.
  private func genome(of network: SelectionNetwork) -> Genome {
    var rest = Array(network.comparators)
    precondition(Array(rest.prefix(prefix.count)) == prefix)
    rest.removeFirst(prefix.count)
    var genome: Genome = []
    var index = 0
    while index < rest.count {
      genome.append(rest[index])
      index += index + 1 < rest.count && rest[index + 1] == mirror(rest[index]) ? 2 : 1
    }
    return genome
  }

  /// Random comparators until the network is right.
  private mutating func randomStart(scratch: UnsafeMutablePointer<BitBlock>) -> Genome {
    var genome: Genome = []
    repeat {
      for _ in 0..<4 { genome.append(randomComparator()) }
    } while !isRight(genome, scratch: scratch)
    return genome
  }
}

/// A small deterministic generator (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func next(below bound: Int) -> Int {
    Int(((next() >> 32) &* UInt64(bound)) >> 32)
  }
}
