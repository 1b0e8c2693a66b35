/// Chooses the frames of the most frequent colour.
///
/// Colours are sorted into twelve hues; what has too little colour for its hue to mean anything is a grey, and greys
/// are sorted by brightness in eight steps. The first of equally frequent colours wins.
struct CommonColour: PixelRule {
  /// Colour differences up to this, in levels of 8 bits, count as grey.
  private static let grey = 10
  private static let hues = 12
  private static let greys = 8

  func choose(_ colours: UnsafeBufferPointer<PixelColour>, _ chosen: UnsafeMutableBufferPointer<Bool>) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: colours.count) { bins in
      // As many as there are hues and greys.
      var counts = InlineArray<20, Int32>(repeating: 0)
      for (index, colour) in colours.enumerated() {
        let bin = Self.bin(colour)
        bins[index] = UInt8(bin)
        counts[bin] &+= 1
      }
      var best = bins[0]
      for bin in bins where counts[Int(bin)] > counts[Int(best)] { best = bin }
      for index in bins.indices { chosen[index] = bins[index] == best }
    }
  }

  static func bin(_ colour: PixelColour) -> Int {
    let (u, v) = (Int(colour.blue), Int(colour.red))
    guard u * u + v * v > grey * grey else {
      return hues + min(max(Int(colour.brightness) * greys / 256, 0), greys - 1)
    }
    // Sixths of a quarter turn would need an arc tangent; tan 30 and tan 60 degrees tell the thirds apart.
    let (a, b) = (abs(u), abs(v))
    let third = b * 1000 < a * 577 ? 0 : b * 1000 < a * 1732 ? 1 : 2
    switch (u >= 0, v >= 0) {
    case (true, true): return third
    case (false, true): return 5 - third
    case (false, false): return 6 + third
    case (true, false): return 11 - third
    }
  }
}
