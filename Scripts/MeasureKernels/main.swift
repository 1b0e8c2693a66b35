// Measures once, in one process and without the pipeline around it, what Scripts/bench sets beside the program:
//   MeasureKernels bound THREADS QUALITY JPEG...    decoding the files to planes and encoding one plate
//   MeasureKernels encode THREADS QUALITY JPEG      encoding the file's picture, as a plate is
//   MeasureKernels combine FRAMES...                medians, and reading the same bytes once
//   MeasureKernels warp JPEG                        warping one frame
//   MeasureKernels desk THREADS JPEG...             waiting for the live plate, and for edits of a kept one
// Writes one JSON object of seconds by name.

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let seconds: [String: Double]
switch arguments.first {
case "bound" where arguments.count > 3:
  guard let threads = Int(arguments[1]), let quality = Int32(arguments[2]) else { usage() }
  seconds = try await codecSeconds(of: Array(arguments.dropFirst(3)), threads: threads, quality: quality)
case "encode" where arguments.count == 4:
  guard let threads = Int(arguments[1]), let quality = Int(arguments[2]) else { usage() }
  seconds = try encodeSeconds(of: arguments[3], threads: threads, quality: quality)
case "combine" where arguments.count > 1:
  let counts = arguments.dropFirst().compactMap { Int($0) }
  seconds = combineSeconds(frameCounts: counts, of: UInt8.self).merging(
    combineSeconds(frameCounts: counts, of: UInt16.self)
  ) { a, _ in a }
case "warp" where arguments.count == 2:
  seconds = try warpSeconds(of: arguments[1])
case "desk" where arguments.count > 3:
  guard let threads = Int(arguments[1]) else { usage() }
  seconds = try await deskSeconds(of: Array(arguments.dropFirst(2)), threads: threads, detector: .auto)
default:
  usage()
}
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
print(String(decoding: try encoder.encode(seconds), as: UTF8.self))

func usage() -> Never {
  FileHandle.standardError.write(Data("usage: see the head of Scripts/MeasureKernels/main.swift\n".utf8))
  exit(64)
}

/// Seconds that `body` takes.
func measure(_ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try body()
  return (ContinuousClock.now - start) / .seconds(1)
}

/// Seconds until `body` is done.
func measureTask(_ body: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - start) / .seconds(1)
}
