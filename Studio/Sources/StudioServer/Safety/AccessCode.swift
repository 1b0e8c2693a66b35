import Foundation
import Synchronization

/// Who may come in from the network: whoever has the code that the terminal shows, which lets one browser in, and then the
/// browser that has the cookie.
final class AccessCode: Sendable {
  private struct State {
    var code: String
    var tokens: [String] = []
  }
  private let state = Mutex(State(code: AccessCode.word(10)))
  private let gate = Gate()
  /// Tells of the next code.
  private let announce: @Sendable (String) -> Void

  /// Letters and digits that are not taken for each other.
  private static let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
  /// Browsers at once.
  private static let mostTokens = 32

  init(announce: @escaping @Sendable (String) -> Void) { self.announce = announce }

  /// The code that is good for one browser.
  var current: String { state.withLock(\.code) }

  /// - Returns: the cookie's value for whoever gives the right code; nil for others, after a while: who guesses must not
  ///   guess often.
  func exchange(_ word: String) async -> String? {
    await gate.enter()
    defer { gate.leave() }
    let token: String? = state.withLock { state in
      guard isEqual(word, state.code) else { return nil }
      let token = Self.word(40)
      state.tokens.append(token)
      if state.tokens.count > Self.mostTokens { state.tokens.removeFirst() }
      state.code = Self.word(10)
      return token
    }
    if token != nil {
      announce(current)
    } else {
      try? await Task.sleep(for: .milliseconds(700))
    }
    return token
  }

  func admits(_ token: String) -> Bool {
    // All are compared, so that time does not tell which is near.
    state.withLock { state in state.tokens.reduce(false) { isEqual(token, $1) || $0 } }
  }

  /// In time that depends on the given word's length alone, not on where it differs.
  private func isEqual(_ given: String, _ known: String) -> Bool {
    let (given, known) = (Array(given.utf8), Array(known.utf8))
    var difference = given.count ^ known.count
    for (index, byte) in given.enumerated() { difference |= Int(byte ^ known[index % known.count]) }
    return difference == 0
  }

  private static func word(_ length: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return String((0..<length).map { _ in alphabet.randomElement(using: &generator)! })
  }
}

/// Lets one through at a time.
final class Gate: Sendable {
  private let state = Mutex<(isTaken: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiting.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
