import CleanPlate

let burst = CommandLine.arguments.dropFirst().map { Input.file(path: FilePath($0)) }
do {
  let result = try await makePlate(from: burst, options: Options()) { event in
    if case .rejected(_, let name, let reason) = event { print("\(name) is left out: \(reason.words)") }
  }
  try writeAtomically(encode(result.plate, options: EncodeOptions(format: .jpeg)), to: "plate.jpg")
  print("plate.jpg: \(result.plate.size) from \(result.report.frames.count(where: \.accepted)) frames")
} catch let error as any WordedError {
  print(error.explanation { $0 }.text)
}
