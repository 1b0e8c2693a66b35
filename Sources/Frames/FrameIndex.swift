/// A frame's place among the inputs, from 0: what events, errors and reports count.
package struct BurstIndex: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }
  package init(integerLiteral value: Int) { rawValue = value }

  package static func < (a: BurstIndex, b: BurstIndex) -> Bool { a.rawValue < b.rawValue }
}

/// A frame's position among those that take part, from 0, in the order in which they were taken: what plans count.
public struct RegisteredIndex: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The position.
  public let rawValue: Int

  /// The frame at this position.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// The frame at this position.
  public init(integerLiteral value: Int) { rawValue = value }

  /// Whether a frame was taken before another.
  public static func < (a: RegisteredIndex, b: RegisteredIndex) -> Bool { a.rawValue < b.rawValue }
}
