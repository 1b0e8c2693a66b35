/// What is added along the seams of a plate so that photos of different light meet without a step: cell by cell, and
/// smooth in between among cells that show one photo ("membrane": Perez, Gangnet and Blake, "Poisson Image Editing",
/// SIGGRAPH 2003).
package struct Membrane: Sendable, Hashable {
  /// Per plane, in the frames' order of planes, and per cell, row by row: for a plane of light the share by which it
  /// grows, counted from `floor` below black; for chroma levels of 8 bits.
  package let values: [[Float]]
  /// Per plane, whether it is one of light.
  package let isLight: [Bool]

  /// Levels of 8 bits below black from which light is counted, so that dark places, where noise and what a camera adds
  /// weigh most, change little.
  package static let floor: Float = 8

  /// Fields of one length.
  package init(values: [[Float]], isLight: [Bool]) {
    precondition(values.count == isLight.count && values.allSatisfy { $0.count == values[0].count })
    self.values = values
    self.isLight = isLight
  }

  /// Whether a cell gets the same from both, of the same planes and cells; nil adds nothing.
  package static func agree(_ a: Membrane?, _ b: Membrane?, in cell: Int) -> Bool {
    (a ?? b)?.values.indices.allSatisfy { (a?.values[$0][cell] ?? 0) == (b?.values[$0][cell] ?? 0) } ?? true
  }
}
