import Frames
import Testing

struct ResidualMeshTests {
  let mesh = ResidualMesh(
    columns: 3, rows: 2, size: Size(width: 101, height: 51), dx: [0, 1, 2, 4, 5, 6], dy: [0, 0, 0, -1, -1, -1])

  @Test func isBilinearBetweenNodes() {
    #expect(mesh(Point(x: 50, y: 0)) == Point(x: 1, y: 0))
    #expect(mesh(Point(x: 100, y: 50)) == Point(x: 6, y: -1))
    #expect(mesh(Point(x: 25, y: 25)) == Point(x: 2.5, y: -0.5))
  }

  @Test func keepsItsBorderOutside() {
    #expect(mesh(Point(x: -40, y: -1)) == mesh(Point(x: 0, y: 0)))
    #expect(mesh(Point(x: 900, y: 60)) == mesh(Point(x: 100, y: 50)))
  }
}
