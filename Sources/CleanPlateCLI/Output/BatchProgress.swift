import CleanPlate
import Foundation
import Synchronization

/// Tells how far a batch has come: a line for every burst that is through, and on a terminal a live line.
final class BatchProgress: Sendable {
  private struct State {
    var bursts = 0
    var frames = 0
    var burstsDone = 0
    /// Of bursts that took work, and of all that are through.
    var framesMade = 0
    var framesDone = 0
    var start = ContinuousClock.now
  }
  private let state = Mutex(State())
  private let said = Mutex<Set<String>>([])
  private let console: Console
  private let verbose: Bool
  private let tellsFinds: Bool

  /// - Parameter tellsFinds: whether what the folders hold is worth a line: it is told once, not again and again.
  init(_ console: Console, verbose: Bool, tellsFinds: Bool = true) {
    (self.console, self.verbose, self.tellsFinds) = (console, verbose, tellsFinds)
  }

  func show(_ event: BatchEvent) {
    switch event {
    case .searching(let done, let total): console.showSearch(done: done, total: total)
    case .found(let found, let plates, let frames):
      if tellsFinds || verbose {
        console.note(skipped: found.skipped, verbose: verbose)
        console.note("found \(found.summary)")
      }
      state.withLock { $0 = State(bursts: plates, frames: frames) }
      showLine()
    case .burst(let plate, let event):
      for line in lines(about: event, plate: plate) { console.note(line) }
    case .finished(let plate, let burst, let outcome):
      let place = state.withLock { state in
        state.burstsDone += 1
        state.framesDone += burst.shots.count
        switch outcome {
        case .made, .refused: state.framesMade += burst.shots.count
        case .done, .elsewhere, .planned: break
        }
        return "\(state.burstsDone)/\(state.bursts)"
      }
      if let words = outcome.words(burst) { console.note("\(place) \(plate): \(words)") }
      showLine()
    }
  }

  /// What holds for all bursts is said once, and of what their files lose the first time of each kind.
  private func lines(about event: Event, plate: String) -> [String] {
    let words = wording(of: event, verbose: verbose, tellsStages: true)
    return switch event {
    case .rejected(_, let name, let reason): verbose ? ["\(plate): \(name) is left out: \(reason.words)"] : []
    case .noDetector: isNew(wordsWithoutDetector) ? [wordsWithoutDetector] + words : []
    case .strangeDetector, .noOutlines: words.filter(isNew)
    case .marked, .bordered(_, _, isCut: false): words.map { "\(plate): \($0)" }
    case .lost(let loss, _): verbose || isNew(loss.rawValue) ? words : []
    default: []
    }
  }

  /// Whether this was not said before.
  private func isNew(_ words: String) -> Bool { said.withLock { $0.insert(words).inserted } }

  private func showLine() {
    let line = state.withLock { state in
      var line = "\(state.burstsDone)/\(state.bursts) bursts  \(state.framesDone)/\(state.frames) frames"
      if state.framesMade > 0 {
        let elapsed = (ContinuousClock.now - state.start) / .seconds(1)
        let left = elapsed / Double(state.framesMade) * Double(state.frames - state.framesDone)
        line += "  \(Int(left.rounded(.up))) s left"
      }
      return line
    }
    console.showLive(line, isLast: true)
  }
}

extension BatchOutcome {
  /// Nil for what is not worth a line.
  fileprivate func words(_ burst: PictureGroup) -> String? {
    switch self {
    case .made(let size, let frames, let leftOut):
      "\(size) from \(frames) frames" + (leftOut > 0 ? ", \(leftOut) left out" : "")
    case .done, .elsewhere: nil
    case .refused(let why): "refused: \(why)"
    case .planned: "would be made of \(burst.words)"
    }
  }
}

extension BatchResult {
  /// Whether anything was made.
  var hasNews: Bool {
    outcomes.contains { if case .made = $0.outcome { true } else { false } }
  }

  /// Which bursts have no plate, and why.
  var refusals: [String] {
    outcomes.compactMap { if case .refused(let why) = $0.outcome { "\($0.plate): \(why)" } else { nil } }
  }

  /// The last lines of a run.
  func summary(folder: FilePath, isDryRun: Bool) -> [String] {
    var (made, before, elsewhere, planned) = (0, 0, 0, 0)
    let refused = refusals.map { "refused: \($0)" }
    for (_, _, outcome) in outcomes {
      switch outcome {
      case .made: made += 1
      case .done: before += 1
      case .elsewhere: elsewhere += 1
      case .planned: planned += 1
      case .refused: break
      }
    }
    var parts = [isDryRun ? "\(planned) would be made" : "\(made) made"]
    if before > 0 { parts.append("\(before) there already") }
    if elsewhere > 0 { parts.append("\(elsewhere) made by another run") }
    if !refused.isEmpty { parts.append("\(refused.count) refused") }
    return refused + ["\(folder.text): \(parts.joined(separator: ", "))"]
  }
}
