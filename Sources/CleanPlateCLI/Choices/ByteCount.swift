import ArgumentParser

/// A number of bytes as people write it: 500000, 800M, 1.5G.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    let units: [Character: Double] = ["K": 0x1p10, "M": 0x1p20, "G": 0x1p30, "T": 0x1p40]
    var digits = argument.uppercased()
    if digits.hasSuffix("B") { digits.removeLast() }
    if digits.hasSuffix("I") { digits.removeLast() }
    let unit = digits.last.flatMap { units[$0] }
    if unit != nil { digits.removeLast() }
    guard let number = Double(digits), number.isFinite, number > 0, number * (unit ?? 1) < 1e18 else { return nil }
    bytes = Int(number * (unit ?? 1))
  }
}
