import CleanPlate

let burst = CommandLine.arguments.dropFirst().map { Input.file(path: FilePath($0)) }
