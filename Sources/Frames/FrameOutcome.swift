/// What became of a frame, from decoding to the report: what the last step made of it, or why it is left out.
package enum FrameOutcome<Value> {
  case accepted(Value)
  /// With how it lies on the reference, where it came that far: reports tell that of frames that are left out, too.
  case rejected(Rejection, Alignment?)

  /// A frame that is left out before anything is known of where it lies.
  package static func rejected(_ reason: Rejection) -> FrameOutcome { .rejected(reason, nil) }

  package var isAccepted: Bool { rejection == nil }

  /// What the last step made of it; nil where it is left out.
  package var value: Value? {
    if case .accepted(let value) = self { value } else { nil }
  }

  /// Why it is left out; nil where it takes part.
  package var rejection: Rejection? {
    if case .rejected(let reason, _) = self { reason } else { nil }
  }

  package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> FrameOutcome<Other> {
    try flatMap { .accepted(try transform($0)) }
  }

  package func flatMap<Other>(_ transform: (Value) throws -> FrameOutcome<Other>) rethrows -> FrameOutcome<Other> {
    switch self {
    case .accepted(let value): try transform(value)
    case .rejected(let reason, let alignment): .rejected(reason, alignment)
    }
  }
}

extension FrameOutcome: Sendable where Value: Sendable {}

extension FrameOutcome<Alignment> {
  /// How the frame lies, whether it takes part or not; nil where it did not come so far.
  package var alignment: Alignment? {
    switch self {
    case .accepted(let alignment): alignment
    case .rejected(_, let alignment): alignment
    }
  }

  /// The same frame left out.
  package func rejected(_ reason: Rejection) -> FrameOutcome { .rejected(reason, alignment) }

  /// The same with something else measured.
  package func with(_ change: (inout Alignment) -> Void) -> FrameOutcome {
    guard var alignment else { return self }
    change(&alignment)
    return rejection.map { .rejected($0, alignment) } ?? .accepted(alignment)
  }
}

extension FrameOutcome<RegisteredFrame> {
  /// How the frame lies, without the frame.
  package var lying: FrameOutcome<Alignment> { map(\.alignment) }
  /// How the frame lies, whether it takes part or not; nil where it did not come so far.
  package var alignment: Alignment? { lying.alignment }
}
