import CShimOneDNN
import ShimSupport

/// Memory that a task's networks compute in, kept from one look to the next.
final class Workspace: @unchecked Sendable {
  private let handle: OpaquePointer
  private(set) var inputVolume = Volume(channels: 0, height: 0, width: 0)
  private var input: [Float] = []
  private var outputVolumes: [Volume] = []
  /// One after another.
  private var outputs: [Float] = []

  /// - Throws: `ShimError` when memory is missing.
  init() throws(ShimError) {
    var made: OpaquePointer?
    try check(cs_workspace_create(&made))
    guard let made else { throw ShimError(kind: .libraryFailure, message: "no workspace was made") }
    handle = made
  }

  deinit { cs_workspace_free(handle) }

  /// Has `body` write an input: row by row, with the channels of a place beside each other.
  func fill(_ volume: Volume, _ body: (UnsafeMutableBufferPointer<Float>) -> Void) {
    inputVolume = volume
    if input.count < volume.count { input = [Float](repeating: 0, count: volume.count) }
    input.withUnsafeMutableBufferPointer { body(UnsafeMutableBufferPointer(rebasing: $0[..<volume.count])) }
  }

  /// - Parameter plan: how a network is computed for what was written.
  /// - Throws: `ShimError`.
  func run(_ plan: OpaquePointer, outputs volumes: [Volume]) throws(ShimError) {
    outputVolumes = volumes
    let count = volumes.reduce(0) { $0 + $1.count }
    if outputs.count < count { outputs = [Float](repeating: 0, count: count) }
    let status = outputs.withUnsafeMutableBufferPointer { outputs in
      var next = outputs.baseAddress
      let pointers = volumes.map { volume in
        defer { next = next.map { $0 + volume.count } }
        return next
      }
      return cs_network_run(plan, handle, input, pointers)
    }
    try check(status)
  }

  /// Hands `body` what was computed.
  func withAnswers<Result>(_ body: ([Answer]) -> Result) -> Result {
    outputs.withUnsafeBufferPointer { outputs in
      var next = 0
      return body(
        outputVolumes.map { volume in
          defer { next += volume.count }
          return Answer(
            volume: volume, samples: UnsafeBufferPointer(rebasing: outputs[next..<next + volume.count]))
        })
    }
  }
}

/// One output of a network, in the order of inputs, as long as nothing else is computed.
struct Answer {
  let volume: Volume
  let samples: UnsafeBufferPointer<Float>

  /// A sample, by the channel and the place in the rows.
  subscript(channel: Int, place: Int) -> Float { samples[place * volume.channels + channel] }
}
