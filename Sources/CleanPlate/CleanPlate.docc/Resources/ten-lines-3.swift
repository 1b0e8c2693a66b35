import CleanPlate

let burst = CommandLine.arguments.dropFirst().map { Input.file(path: FilePath($0)) }
let result = try await makePlate(from: burst, options: Options())
try writeAtomically(encode(result.plate, options: EncodeOptions(format: .jpeg)), to: "plate.jpg")
