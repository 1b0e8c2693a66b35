/// Writes networks as Swift.
public enum MedianSource {
  /// Frame counts that have a network of their own.
  public static let counts = 2...32

  /// The text of `Sources/Medians/MedianNetworks.swift`.
  public static func text() -> String {
    let networks = counts.map { KnownNetworks.network(wires: $0) }
    return ([header, dispatch] + networks.map(function)).joined(separator: "\n")
  }

  private static let header = """
    // Written by Scripts/GenerateNetworks from comparator networks that the tests prove; do not edit.
    // `swift run GenerateNetworks` writes it anew.

    /// The median over \(counts.lowerBound) to \(counts.upperBound) frames of bytes; the parameters are `medianRow`'s.
    func medianByNetwork(
      _ frames: Int, _ samples: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>
    ) {
      select(frames, samples, count, output)
    }

    /// The median over \(counts.lowerBound) to \(counts.upperBound) frames of 16-bit samples; the parameters are
    /// `medianRow`'s.
    ///
    /// x86-64's baseline has minima and maxima of bytes and of signed words only, so that words are compared as
    /// signed numbers, half of the range lower.
    func medianByNetwork(
      _ frames: Int, _ samples: UnsafePointer<UInt16>, count: Int, into output: UnsafeMutablePointer<UInt16>
    ) {
      select(
        frames, UnsafeRawPointer(samples).assumingMemoryBound(to: Int16.self), count,
        UnsafeMutableRawPointer(output).assumingMemoryBound(to: Int16.self))
    }

    @inline(__always)
    private func order<T: FixedWidthInteger>(_ a: inout T, _ b: inout T) {
      (a, b) = (min(a, b), max(a, b))
    }

    /// Turns the order of unsigned samples into that of `T`, and back.
    @inline(__always)
    private func ordered<T: FixedWidthInteger>(_ sample: T) -> T {
      sample ^ T.min
    }

    /// (a + b + 1) >> 1 without a carry.
    @inline(__always)
    private func roundedMean<T: FixedWidthInteger>(_ a: T, _ b: T) -> T {
      (a | b) &- ((a ^ b) &>> 1)
    }

    """

  private static var dispatch: String {
    let cases = counts.map { "  case \($0): median\($0)(samples, count, output)" }.joined(separator: "\n")
    return """
      @inline(__always)
      private func select<T: FixedWidthInteger>(
        _ frames: Int, _ samples: UnsafePointer<T>, _ count: Int, _ output: UnsafeMutablePointer<T>
      ) {
        switch frames {
      \(cases)
        default: preconditionFailure("no network for \\(frames) frames")
        }
      }

      """
  }

  private static func function(_ network: SelectionNetwork) -> String {
    let n = network.wires
    let pruned = network.pruned
    var lines = (0..<n).map { wire in
      wire == 0
        ? "    var v0 = ordered(samples[x])"
        : "    var v\(wire) = ordered(samples[x &+ \(wire) * MedianLayout.frameStride])"
    }
    var written: Set<Int> = []
    for (comparator, use) in zip(pruned.comparators, pruned.use) {
      let (a, b) = (comparator.low, comparator.high)
      switch use {
      case .none: continue
      case .minimum: lines.append("    v\(a) = min(v\(a), v\(b))")
      case .maximum: lines.append("    v\(b) = max(v\(a), v\(b))")
      case .both: lines.append("    order(&v\(a), &v\(b))")
      }
      if use != .maximum { written.insert(a) }
      if use != .minimum { written.insert(b) }
    }
    for wire in 0..<n where !written.contains(wire) {
      lines[wire] = lines[wire].replacing("var", with: "let")
    }
    let outputs = pruned.outputs
    lines.append(
      outputs.count == 1
        ? "    output[x] = ordered(v\(outputs[0]))"
        : "    output[x] = ordered(roundedMean(v\(outputs[0]), v\(outputs[1])))")
    return """
      /// \(pruned.comparators.count) comparators, \(pruned.operationCount) minima and maxima.
      @inline(__always)
      private func median\(n)<T: FixedWidthInteger>(
        _ samples: UnsafePointer<T>, _ count: Int, _ output: UnsafeMutablePointer<T>
      ) {
        for x in 0..<count {
      \(lines.joined(separator: "\n"))
        }
      }

      """
  }
}

extension String {
  /// The first occurrence of `word` replaced.
  fileprivate func replacing(_ word: String, with other: String) -> String {
    guard let start = indices.first(where: { self[$0...].hasPrefix(word) }) else { return self }
    return self[..<start] + other + self[index(start, offsetBy: word.count)...]
  }
}
