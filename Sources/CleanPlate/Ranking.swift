public import Frames
import Registration

/// A frame and how sharp it is.
public struct RankedFrame: Sendable {
  /// Its place in the burst.
  public let index: Int
  /// Its path, or the name that the caller gave.
  public let name: String
  /// Variance of the Laplacian of downscaled luma, in levels squared.
  public let sharpness: Double
  /// The Laplacian's absolute values, upright, 8-bit grey, with gamma 1/2.2.
  public let laplacian: Frame
}

/// Ranks the frames of a burst by sharpness, sharpest first.
///
/// The score is the variance of the Laplacian (Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy",
/// ICPR 2000) on luma of about 1280x720 pixels, over what all frames show in common, so that content does not decide.
/// - Parameters:
///   - inputs: pictures of one scene; those that cannot be read are left out with an event.
///   - options: `threads`, `memory` and the like; operators play no part.
///   - onEvent: is told from any task what happens.
/// - Throws: `PlateError` when no picture can be read, `AllocationError`, `CancellationError`.
public func rankFrames(
  of inputs: [Input], options: Options, onEvent: @escaping @Sendable (Event) -> Void = { _ in }
) async throws -> [RankedFrame] {
  let reading = RunMonitor(onEvent)
  let burst = try await reading.measure(.decode) {
    try await readBurst(inputs, options, RunResources(options), reading)
  }
  // A frame that cannot be registered is measured all the same, so what became of it is nobody's concern here.
  let registering = RunMonitor { event in
    if case .rejected = event { return }
    onEvent(event)
  }
  let registered = try await registering.measure(.register) { try await register(burst, options, registering) }
  var ranking: [RankedFrame] = []
  for (index, (entry, outcome)) in zip(burst.entries, registered.outcomes).enumerated() {
    guard let content = entry.outcome.value, let alignment = outcome.alignment else { continue }
    ranking.append(
      RankedFrame(
        index: index, name: entry.name, sharpness: alignment.sharpness,
        laplacian: try LaplacianPicture(content.description).picture(name: entry.name)))
  }
  return ranking.sorted { ($1.sharpness, $0.index) < ($0.sharpness, $1.index) }
}
