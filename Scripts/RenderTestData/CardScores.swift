import CleanPlate
import Codecs
import Foundation
import Frames
import TestScenes

/// Writes a card of bursts with its truth beside it (`truth.json`: the files of each burst), and says how many of them are
/// found: exactly; and how many of what is found are made of two scenes.
func writeCard(to folder: String, bursts: Int, size: Size, seed: UInt64) async throws {
  let card = Card(bursts: bursts, seed: seed)
  for path in Set(card.pictures.map { FilePath(folder).appending($0.path).removingLastComponent() }) {
    try makeFolder(path)
  }
  try await forEachIndex(count: card.pictures.count, threads: 2) { index in
    let picture = card.pictures[index]
    let bytes = try encode(card.photo(picture, size: size), options: EncodeOptions(format: .jpeg, quality: 90))
    try writeAtomically(bytes, to: FilePath(folder).appending(picture.path))
  }
  try writeAtomically(Array(JSONEncoder().encode(card.bursts)), to: FilePath(folder).appending("truth.json"))
  let found = try await findBursts(in: [FilePath(folder)], search: BurstSearch(threads: 2)).bursts
  let sets = found.map { Set($0.files.map { String($0.text.dropFirst(folder.count + 1)) }) }
  let truth = card.bursts.map { Set($0) }
  let merged = sets.count { set in
    truth.count { !$0.isDisjoint(with: set) } > 1 || !truth.contains { $0.isSuperset(of: set) }
  }
  print("\(truth.count { sets.contains($0) }) of \(truth.count) bursts found exactly, \(merged) made of two scenes")
}
