import Foundation
import NetworkGenerator
import Testing

@Suite struct MedianNetworkTests {
  /// What the design asks of a few, and what is best known of small ones.
  static let comparatorLimits = [3: 3, 5: 7, 7: 13, 9: 19]

  @Test func checkedInSourceIsWhatTheGeneratorWrites() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "Sources/Medians/MedianNetworks.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text == MedianSource.text(), "run `swift run GenerateNetworks` in the package's folder")
  }

  @Test(arguments: 3...22) func selectsTheMedianOfAllZeroOneInputs(wires: Int) {
    #expect(KnownNetworks.network(wires: wires).selectsMedianOfAllInputs)
  }

  @Test(arguments: MedianSource.counts) func selectsTheMedianOfAllGroupedInputs(wires: Int) {
    #expect(KnownNetworks.network(wires: wires).selectsMedianOfGroupedInputs)
  }

  @Test(arguments: MedianSource.counts) func isNoLargerThanBatchers(wires: Int) {
    let network = KnownNetworks.network(wires: wires)
    #expect(network == network.pruned)
    #expect(network.comparators.count <= SelectionNetwork.batcher(wires: wires).comparators.count)
    #expect(network.comparators.count <= Self.comparatorLimits[wires] ?? .max)
  }

  @Test(arguments: [3, 4, 7, 8, 12, 13]) func proofsRefuseANetworkWithoutOneOfItsComparators(wires: Int) {
    let network = KnownNetworks.network(wires: wires)
    for index in network.comparators.indices {
      var comparators = network.comparators
      comparators.remove(at: index)
      let broken = SelectionNetwork(wires: wires, comparators: comparators)
      #expect(!broken.selectsMedianOfAllInputs)
      #expect(!broken.selectsMedianOfGroupedInputs)
    }
  }

  @Test func batchersNetworkOfSixteenHas53Comparators() {
    let network = SelectionNetwork.batcher(wires: 16)
    #expect(network.comparators.count == 53)
    #expect(network.selectsMedianOfAllInputs && network.selectsMedianOfGroupedInputs)
  }

  @Test func searchFindsASmallNetworkAgain() {
    var search = NetworkSearch(wires: 6, groupsOfFour: false, seed: 1)
    let found = search.run(steps: 20_000)
    #expect(found.selectsMedianOfAllInputs)
    #expect(found.comparators.count <= 11)
  }
}
