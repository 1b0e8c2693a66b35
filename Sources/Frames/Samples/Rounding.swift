extension Float {
  /// The nearest whole number, of two the even one; for numbers below 2^22. It takes no instruction that not every
  /// processor has.
  @inlinable
  package var nearestWhole: Float {
    // No fraction is left of a number this large.
    let large: Float = 12_582_912
    return (self + large) - large
  }

  /// The number without its fraction as a byte; for numbers in 0..<256. Loops over it become vector code, as they do
  /// not when every number is checked.
  @inlinable
  package var truncatedByte: UInt8 {
    let nearest = nearestWhole
    let whole = nearest > self ? nearest - 1 : nearest
    return UInt8(truncatingIfNeeded: (whole + 8_388_608).bitPattern)
  }
}
