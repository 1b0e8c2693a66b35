// Writes the small files that `Scripts/fuzz` begins with and no other script makes: MakeFuzzSeeds FOLDER
import Codecs
import FileBuilding
import Foundation
import Frames

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: MakeFuzzSeeds FOLDER\n".utf8))
  exit(64)
}
let root = CommandLine.arguments[1]
for (target, files) in [
  ("heif", try heifSeeds(.heif)), ("avif", try heifSeeds(.avif)), ("png", try pngSeeds()), ("mask", try maskSeeds()),
  ("report", reportSeeds), ("probe", probeSeeds), ("network", networkSeeds), ("darknet", networkSeeds),
  ("graph", graphSeeds), ("lite", [("every-operation.bin", LiteModelFile.whole().bytes)]),
] {
  let folder = "\(root)/\(target)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
}
