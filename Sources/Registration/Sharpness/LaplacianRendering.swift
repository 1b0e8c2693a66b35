package import Frames
import Glibc

extension LaplacianPicture {
  /// The absolute values as an 8-bit grey picture with gamma 1/2.2, so that faint edges show.
  /// - Throws: `AllocationError`.
  package func picture(name: String) throws(AllocationError) -> Frame {
    let tones = (0...255).map { Int((255 * pow(Double($0) / 255, 1 / 2.2)).rounded()) }
    let plane = try Plane(width: size.width, height: size.height) { x, y in
      tones[min(abs(Int(values[y * size.width + x])), 255)]
    }
    return Frame(planes: [plane], encoding: .grey(.full), name: name)
  }
}
