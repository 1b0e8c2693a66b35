import CleanPlate
import Foundation

/// Turns the events of a run into lines of progress.
struct ProgressState {
  var isLineOpen = false
  private var share = 0.0
  private var start = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?
  /// The parts of this run.
  private var stages: [Stage]

  private let hasDetector: Bool

  /// - Parameter stages: the parts of the run, in order; `extract` is added when it begins.
  init(stages: [Stage], hasDetector: Bool = false) {
    self.stages = stages
    self.hasDetector = hasDetector
  }

  /// What a stage costs beside the others, as measured on bursts of 8 and 12 photos of 12 megapixels and on short films. Reading a
  /// video means decoding many more frames than are taken from it, which are then there.
  private func weight(_ stage: Stage) -> Double {
    switch stage {
    case .extract: 3
    case .decode: stages.first == .extract ? 0.1 : 1
    case .register: 0.6
    case .select: hasDetector ? 4 : 1
    case .stack: 0.7
    case .foreground: 1.5
    case .layers: 0.5
    }
  }

  /// The line to show now, or nil when nothing worth showing has changed.
  mutating func update(_ event: Event, plain: Bool) -> String? {
    switch event {
    case .started(let stage):
      if stage == stages.first { start = .now }
      if stage == .extract, !stages.contains(.extract) {
        stages.insert(.extract, at: 0)
        start = .now
      }
      return plain ? "\(stage.rawValue) ..." : line(stage, done: 0, total: 0)
    case .progress(let stage, let done, let total):
      advance(stage, done: done, total: total)
      guard !plain, mayShow(isLast: done >= total) else { return nil }
      return line(stage, done: done, total: total)
    case .finished(let stage, let seconds):
      advance(stage, done: 1, total: 1)
      return plain ? "\(stage.rawValue) done in \(seconds.formatted(decimals: 2)) s" : nil
    default: return nil
    }
  }

  /// Whether the last line has been seen long enough.
  mutating func mayShow(isLast: Bool) -> Bool {
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < .milliseconds(60), !isLast { return false }
    lastShown = now
    return true
  }

  /// Never steps back: stages overlap and their events come in any order.
  private mutating func advance(_ stage: Stage, done: Int, total: Int) {
    guard let index = stages.firstIndex(of: stage), total > 0 else { return }
    let weights = stages.map(weight)
    let before = weights[..<index].reduce(0, +)
    share = max(share, (before + weights[index] * Double(done) / Double(total)) / weights.reduce(0, +))
  }

  /// - Parameter total: 0 where nobody knows.
  private func line(_ stage: Stage, done: Int, total: Int) -> String {
    let percent = Int((share * 100).rounded(.down))
    var text = stage.rawValue
    if total > 0 { text += " \(done)/\(total)" } else if done > 0 { text += " \(done)" }
    text += "  \(percent) %"
    if share > 0.05 {
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
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
