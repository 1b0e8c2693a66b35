/// Chooses the brightest or the darkest frame: star trails, light painting, or none of either. The first of equals.
struct Extreme: PixelRule {
  let isDarkest: Bool

  func choose(_ colours: UnsafeBufferPointer<PixelColour>, _ chosen: UnsafeMutableBufferPointer<Bool>) {
    var best = 0
    for i in 1..<max(colours.count, 1) {
      let isFurther = colours[i].brightness > colours[best].brightness
      if colours[i].brightness != colours[best].brightness && isFurther != isDarkest { best = i }
    }
    chosen[best] = true
  }
}
