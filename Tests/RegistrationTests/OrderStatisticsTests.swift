import Testing

@testable import Registration

@Suite struct OrderStatisticsTests {
  /// Counts, and how many different values there are.
  @Test(arguments: [(1, 1), (2, 1), (2, 9), (3, 2), (10, 3), (11, 100), (64, 1), (257, 5), (1000, 1000)])
  func selectsAsSorting(count: Int, different: Int) {
    var random = SteadyNumbers()
    let values = (0..<count).map { _ in (random.next() * Double(different)).rounded(.down) - 2 }
    let sorted = values.sorted()
    for rank in Set([0, count / 3, count / 2, count - 1]) {
      var left = values
      #expect(left.select(rank) == sorted[rank])
      #expect(left.sorted() == sorted)
      #expect(left[..<rank].allSatisfy { $0 <= sorted[rank] } && left[rank...].allSatisfy { $0 >= sorted[rank] })
    }
    let middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    #expect(median(values) == middle)
    #expect(percentile(values, 0) == sorted[0] && percentile(values, 1) == sorted[count - 1])
  }

  @Test func selectsAmongInfinities() {
    #expect(median([.infinity, 1, .infinity]) == .infinity)
    #expect(median([.infinity, 1, -.infinity]) == 1)
    var values = [Double.nan, 2, .infinity, 1]
    _ = values.select(2)
    #expect(values.count { $0.isNaN } == 1, "it comes to an end, and loses nothing")
  }

  @Test func keepsWhatIsBelow() {
    #expect([3, 1, .nan, 2, .infinity, 0].below(2.5) == [1, 2, 0])
    #expect([3, 1].below(1) == [])
    #expect([Double]().below(1) == [])
  }

  @Test func tellsTheSpreadOfLengths() {
    #expect(robustSpread([]) == 0)
    #expect(robustSpread([5, 1.1774, 0]) == 1)
  }
}
