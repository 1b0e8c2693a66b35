import Frames
import Resampling

@testable import Selection

/// Candidates drawn by hand: grey frames of one size, and their median.
func candidates(
  _ frames: Int, size: Size = Size(width: 24, height: 16), reference: Int = 0,
  saturation: Float = 255, saturations: [Int: Float] = [:],
  coverage: (_ frame: Int, _ row: Int) -> Range<Int32>? = { _, _ in nil },
  value: @escaping (_ frame: Int, _ x: Int, _ y: Int) -> Int
) async throws -> Candidates {
  let drawn = try (0..<frames).map { frame in
    let plane = try Plane(width: size.width, height: size.height) { value(frame, $0, $1) }
    return Candidate(
      planes: [plane], gradient: try gradient(of: plane),
      coverage: (0..<size.height).map { coverage(frame, $0) ?? 0..<Int32(size.width) },
      clipped: try clipped(plane, from: saturations[frame] ?? saturation))
  }
  let median = try await medianCandidate(of: drawn, size: size, threads: 2)
  return Candidates(list: drawn + [median], size: size, reference: reference, chroma: nil)
}

/// Where a plane's samples are some level at least.
func clipped(_ plane: Plane, from level: Float) throws -> Plane {
  try Plane(width: plane.width, height: plane.height) { Float(plane[$0, $1]) >= level ? 255 : 0 }
}

/// Of JPEG.
let jpegChroma = PixelEncoding.yCbCr(.bt601, .full).chromaInLight(bits: 8)!

/// Y', Cb and Cr of red, green and blue, all of 0...255 (JFIF).
func yCbCr(_ red: Double, _ green: Double, _ blue: Double) -> [Int] {
  let light = 0.299 * red + 0.587 * green + 0.114 * blue
  return [light, 128 + (blue - light) / 1.772, 128 + (red - light) / 1.402].map { Int($0.rounded()) }
}

/// A standard deviation of two levels, and nothing else.
let quietNoise = Array(repeating: ComparedNoise(constant: 4, slope: 0, squaredShift: 0), count: 3)

/// All cells of a grid, contested.
func everyCell(of candidates: Candidates) -> ContestedCells {
  let grid = candidates.grid
  return ContestedCells(Array(repeating: .contested, count: grid.count), in: grid)
}
