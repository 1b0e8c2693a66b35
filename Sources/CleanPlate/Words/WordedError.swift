public import Foundation
import Frames

/// An error that says in words what is wrong, with which file, and what to do. The command line says the same.
public protocol WordedError: LocalizedError {
  /// - Parameter option: writes the name of one of the options, such as `threads`, as the reader knows it.
  func explanation(naming option: (String) -> String) -> Explanation
}

/// An error in words.
public struct Explanation: Sendable, Hashable {
  /// A sentence.
  public var problem: String
  /// What to do about it, another one; nil where nothing helps.
  public var advice: String?

  /// A problem, and what to do about it.
  public init(_ problem: String, _ advice: String? = nil) {
    self.problem = problem
    self.advice = advice
  }

  /// All of it, in one line.
  public var text: String { advice.map { "\(problem) \($0)" } ?? problem }
}

extension WordedError {
  /// The problem, with options named as the library names them.
  public var errorDescription: String? { explanation { $0 }.problem.readableName }
  /// What to do about it.
  public var recoverySuggestion: String? { explanation { $0 }.advice?.readableName }
}
