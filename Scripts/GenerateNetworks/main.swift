// Writes Sources/Medians/MedianNetworks.swift, or looks for smaller networks:
//   swift run GenerateNetworks [FILE]
//   swift run -c release GenerateNetworks search WIRES STEPS SEED [pairs|fours]

import Foundation
import NetworkGenerator

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "search" {
  let numbers = arguments.dropFirst().compactMap { UInt64($0) }
  guard numbers.count == 3, (4...40).contains(numbers[0]) else {
    print("usage: GenerateNetworks search WIRES STEPS SEED [pairs|fours]")
    exit(64)
  }
  var search = NetworkSearch(
    wires: Int(numbers[0]), groupsOfFour: arguments.last == "fours", seed: numbers[2])
  let found = search.run(steps: Int(numbers[1]))
  print("\(found.comparators.count) comparators, \(found.operationCount) minima and maxima")
  print(found.comparators.map { "\($0.low)-\($0.high)" }.joined(separator: " "))
} else {
  let file = arguments.first ?? "Sources/Medians/MedianNetworks.swift"
  try MedianSource.text().write(toFile: file, atomically: true, encoding: .utf8)
}
