package import Frames

/// A picture of where two pictures differ: the first one dimmed to grey, and over it, from dark red through yellow
/// to white, the largest difference of each pixel's channels; white is `full` levels or more.
/// - Parameter full: in levels of 255, positive.
/// - Returns: 8-bit R'G'B'.
/// - Throws: `ComparisonError`.
package func heatPicture(_ a: Frame, _ b: Frame, full: Double = 64) throws(ComparisonError) -> Frame {
  let name = "\(a.name) and \(b.name)"
  let (a, b) = try commonPictures(a, b)
  let size = a.size
  var builders: [PlaneBuilder] = []
  do {
    for _ in 0..<3 { builders.append(try PlaneBuilder(width: size.width, height: size.height, bits: 8)) }
  } catch {
    throw .allocation(error)
  }
  let rows = builders
  let colors = heatColors
  var y = 0
  forEachRow(a, b) { differences in
    let (red, green, blue) = (
      rows[0].row(y, as: UInt8.self), rows[1].row(y, as: UInt8.self), rows[2].row(y, as: UInt8.self)
    )
    a.planes[1].withUnsafeRow(y, as: UInt16.self) { base in
      for x in 0..<size.width {
        let worst = max(differences[x], differences[size.width + x], differences[2 * size.width + x])
        // Square root, so that single levels show.
        let heat = (min(Double(worst) / unitsPerLevel / full, 1)).squareRoot()
        let color = colors[Int((heat * 255).rounded())]
        let dimmed = UInt8(base[x] >> 10)
        red[x] = max(color.red, dimmed)
        green[x] = max(color.green, dimmed)
        blue[x] = max(color.blue, dimmed)
      }
    }
    y += 1
  }
  return Frame(planes: builders.map { $0.finish() }, encoding: .rgb, name: name)
}

/// Black, red, yellow, white in 256 steps.
private var heatColors: [(red: UInt8, green: UInt8, blue: UInt8)] {
  (0..<256).map { step in
    func ramp(_ start: Int) -> UInt8 { UInt8(min(max((step - start) * 3, 0), 255)) }
    return (ramp(0), ramp(85), ramp(170))
  }
}
