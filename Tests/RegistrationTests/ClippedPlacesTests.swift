import Frames
import Testing

@testable import Registration

/// Where a frame's light is not to be believed.
@Suite struct ClippedPlacesTests {
  private static let size = Size(width: 640, height: 320)

  /// A frame of which the columns from 400 on show one colour and all others another, luma and two of chroma.
  private func frame(
    right: (Int, Int, Int), left: (Int, Int, Int) = (90, 128, 128), range: SampleRange = .full, bits: Int = 8
  ) throws -> Frame {
    let half = PlaneGrid(scaleX: 2, scaleY: 2)
    func plane(_ index: Int, _ grid: PlaneGrid) throws -> Plane {
      let size = grid.planeSize(for: Self.size)
      let colours = [left, right].map { [$0.0, $0.1, $0.2][index] << (bits - 8) }
      return try Plane(width: size.width, height: size.height, bits: bits) { x, _ in
        colours[x * grid.scaleX < 400 ? 0 : 1]
      }
    }
    return Frame(
      planes: [try plane(0, .full), try plane(1, half), try plane(2, half)], grids: [.full, half, half],
      encoding: .yCbCr(.bt601, range), name: "rendered")
  }

  /// - Parameter gains: factors on that gain over the reference.
  private func doubt(
    _ frame: Frame, gain: Double, gains: SmoothField? = nil, lies homography: Homography = .identity
  ) throws -> SmoothField? {
    var alignment = Alignment(homography: homography, photometric: .identity(planes: 3))
    alignment.photometric.channels[0].gain = gain
    alignment.photometric.channels[0].gains = gains
    return PhotometricMatcher().doubt(
      of: frame, on: try self.frame(right: (128, 128, 128), bits: frame.bits), alignment: alignment)?.field
  }

  @Test(arguments: [8, 16])
  func whatABrighterFrameClipsIsNotBelieved(bits: Int) throws {
    let doubt = try #require(try doubt(frame(right: (255, 128, 128), bits: bits), gain: 0.6))
    let row = (0..<Self.size.width).map { doubt(Point(x: Double($0), y: 160)) }
    #expect(row[410...].allSatisfy { $0 == 1 })
    #expect(row[..<380].allSatisfy { $0 == 0 })
    // It does not show where doubt begins: over three nodes, which lie 4 pixels apart.
    #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 && $1 - $0 < 0.1 })
  }

  @Test func whatIsAsBrightAsTheReferenceIsBelieved() throws {
    let white = try frame(right: (255, 128, 128))
    #expect(try doubt(white, gain: 1) == nil)
    #expect(try doubt(white, gain: 0.985) == nil)
    let half = try #require(try doubt(white, gain: 0.955))
    #expect(abs(half(Point(x: 600, y: 100)) - 0.5) < 0.01)
    #expect(try doubt(frame(right: (245, 128, 128)), gain: 0.5) == nil)
  }

  /// Phones render parts of a photo brighter than the same parts of the next.
  @Test func placesThatAreNoBrighterAreBelieved() throws {
    let gains = SmoothField(columns: 2, rows: 2, size: Self.size, values: [1, 1, 0.6, 0.6])
    let doubt = try #require(try doubt(frame(right: (255, 128, 128)), gain: 1, gains: gains))
    #expect(doubt(Point(x: 600, y: 2)) == 0 && doubt(Point(x: 600, y: 310)) == 1)
  }

  /// Luma hides that red or blue is clipped.
  @Test(arguments: [(170, 128, 192), (150, 190, 128), (235, 110, 110)])
  func aClippedColourIsNotBelieved(colour: (Int, Int, Int)) throws {
    let doubt = try #require(try doubt(frame(right: colour), gain: 0.6))
    #expect(doubt(Point(x: 600, y: 100)) == 1 && doubt(Point(x: 200, y: 100)) == 0)
  }

  @Test func whiteOfVideosIsDarker() throws {
    let white = try frame(right: (235, 128, 128), range: .limited)
    #expect(try doubt(white, gain: 0.6)?(Point(x: 600, y: 100)) == 1)
    #expect(try doubt(frame(right: (225, 128, 128), range: .limited), gain: 0.6) == nil)
  }

  @Test func doubtLiesWhereTheFrameDoes() throws {
    let doubt = try #require(
      try doubt(frame(right: (255, 128, 128)), gain: 0.6, lies: .translation(x: -200, y: 0)))
    #expect(doubt(Point(x: 250, y: 100)) == 1 && doubt(Point(x: 170, y: 100)) == 0)
  }

  /// Reports hold any motion, and what an extreme one leads back to is no number.
  @Test func nowhereIsNotDoubted() throws {
    #expect(
      try doubt(frame(right: (255, 128, 128)), gain: 0.6, lies: Homography(.leastNonzeroMagnitude, 0, 1, 0, 1, 0, 1, 0))
        == nil)
  }
}
