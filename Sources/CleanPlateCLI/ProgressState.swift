import CleanPlate
import Foundation

/// Turns the events of a run into lines of progress.
struct ProgressState {
  var isLineOpen = false
  private var share = 0.0
  private var start = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?

  /// The usual part of a run's time that each stage takes.
  private static let weights: [(stage: Stage, weight: Double)] = [
    (.decode, 0.4), (.register, 0.25), (.select, 0.05), (.stack, 0.3),
  ]

  /// The line to show now, or nil when nothing worth showing has changed.
  mutating func update(_ event: Event, plain: Bool) -> String? {
    switch event {
    case .started(.decode):
      start = .now
      return plain ? "decode ..." : line(.decode, done: 0, total: 0)
    case .started(let stage):
      return plain ? "\(stage.rawValue) ..." : nil
    case .progress(let stage, let done, let total):
      advance(stage, done: done, total: total)
      guard !plain else { return nil }
      let now = ContinuousClock.now
      if let lastShown, now - lastShown < .milliseconds(60), done < total { return nil }
      lastShown = now
      return line(stage, done: done, total: total)
    case .finished(let stage, let seconds):
      return plain ? "\(stage.rawValue) done in \(seconds.formatted(decimals: 2)) s" : nil
    default: return nil
    }
  }

  /// Never steps back: stages overlap and their events come in any order.
  private mutating func advance(_ stage: Stage, done: Int, total: Int) {
    var before = 0.0
    for (other, weight) in Self.weights {
      if other == stage {
        share = max(share, before + weight * Double(done) / Double(max(total, 1)))
        return
      }
      before += weight
    }
  }

  private func line(_ stage: Stage, done: Int, total: Int) -> String {
    let percent = Int((share * 100).rounded(.down))
    var text = "\(stage.rawValue) \(done)/\(total)  \(percent) %"
    let elapsed =
      Double((ContinuousClock.now - start).components.seconds)
      + Double((ContinuousClock.now - start).components.attoseconds) * 1e-18
    if share > 0.05 {
      let left = elapsed / share * (1 - share)
      text += "  \(Int(left.rounded(.up))) s left"
    }
    return text
  }
}

extension Double {
  /// Fixed-point notation with a point, whatever the locale.
  func formatted(decimals: Int) -> String { String(format: "%.\(decimals)f", self) }
}
