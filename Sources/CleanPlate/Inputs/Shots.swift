import Codecs
import Foundation
import Frames

/// Which inputs show the same shot, which are no shots at all, and in which order the shots were taken.
///
/// A camera's RAW file, its JPEG and HEIC, and copies of them are one shot and have one vote. What says so is evidence in
/// the files: the same bytes; or the same camera at the same moment, where a moment without subseconds must come with
/// the same name.
struct Shots: Sendable {
  /// Places among the inputs, shot by shot; in each, the best picture first.
  private(set) var groups: [[Int]]
  /// Inputs that cleanplate made itself.
  let plates: Set<Int>
  /// All inputs in the order in which they were taken.
  let order: [Int]
  /// Inputs that are RAW files, or do not say what they are.
  let mayBeRAW: Set<Int>

  /// - Throws: `CancellationError`.
  init(_ inputs: [Input], _ options: Options) async throws {
    let facts = try await mapIndices(count: inputs.count, threads: options.threads) { PictureFacts(inputs[$0]) }
    self.init(inputs, facts, reference: options.reference)
  }

  /// - Parameter facts: of each input, as far as they are known.
  init(_ inputs: [Input], _ facts: [PictureFacts?], reference: ReferenceOption = .auto) {
    let plates = Set(inputs.indices.filter { facts[$0]?.isPlate == true })
    let captures = zip(inputs, facts).map { input, facts in facts?.capture ?? input.frameCapture }
    order = Self.order(inputs, captures)
    mayBeRAW = Set(inputs.indices.filter { facts[$0].map { $0.format == .raw } ?? true })
    var links = Partition(count: inputs.count)
    for (a, b) in Self.sameBytes(inputs, facts) { links.join(a, b) }
    let names = inputs.map { FileName($0.name) }
    let byTime = Dictionary(grouping: inputs.indices.filter { facts[$0]?.capture != nil }) { facts[$0]?.capture?.time }
    for together in byTime.values {
      for (place, a) in together.enumerated() {
        for b in together[..<place] where Self.isSameShot(names, facts, a, b) { links.join(a, b) }
      }
    }
    let candidates = links.groups.map { $0.filter { !plates.contains($0) } }.filter { !$0.isEmpty }
    // The format that most shots have keeps the burst of one kind.
    let counts = Dictionary(
      candidates.flatMap { group in Set(group.compactMap { facts[$0]?.format }).map { ($0, 1) } }, uniquingKeysWith: +)
    func key(_ i: Int) -> [Int] {
      guard let facts = facts[i] else { return [0, 0, 0, 0, 0] }
      return [
        reference.names(i, inputs) ? 1 : 0, counts[facts.format] ?? 0, facts.format.quality, facts.size.area,
        -inputs[i].name.utf8.count,
      ]
    }
    groups = candidates.map { group in
      group.sorted { a, b in
        let (first, second) = (key(a), key(b))
        return first == second ? a < b : second.lexicographicallyPrecedes(first)
      }
    }
    self.plates = plates
  }

  /// The inputs that take part as far as is known before they are decoded, in the order in which they were taken.
  var best: [Int] {
    let first = Set(groups.map { $0[0] })
    return order.filter(first.contains)
  }

  /// - Parameter failed: inputs that could not be read.
  /// - Returns: the next best of their shots.
  func substitutes(for failed: [Int]) -> [Int] {
    failed.compactMap { input in
      groups.first { $0.contains(input) }.flatMap { group in
        group.firstIndex(of: input).flatMap { group.indices.contains($0 + 1) ? group[$0 + 1] : nil }
      }
    }
  }

  /// The picture of an input's shot that is taken; nil for plates, which are no shots.
  func taken(insteadOf input: Int, among readable: Set<Int>) -> Int? {
    guard !plates.contains(input) else { return nil }
    return groups.first { $0.contains(input) }?.first(where: readable.contains)
  }

  /// By the time of capture when all tell it, ties and the rest by natural names of files; frames that come without
  /// files stay as they were handed over.
  private static func order(_ inputs: [Input], _ captures: [Capture?]) -> [Int] {
    let areTimed = captures.allSatisfy { $0 != nil }
    let areNamed = inputs.allSatisfy { $0.path != nil }
    return inputs.indices.sorted { a, b in
      if areTimed, let first = captures[a], let second = captures[b] {
        if first.isBefore(second) { return true }
        if second.isBefore(first) { return false }
      }
      if let first = inputs[a].path, let second = inputs[b].path, areNamed, first != second {
        return BurstFiles.naturalOrder(first, second)
      }
      return a < b
    }
  }

  /// What is the same for the same bytes and costs little to know.
  private struct Likeness: Hashable {
    let byteCount: Int
    let facts: PictureFacts?
  }

  /// Bytes from the start and from the middle of a file that tell pictures apart which take the same space, as uncompressed ones
  /// do: only what is the same there is read as a whole.
  private static let sampleLength = 1 << 12

  private static func sameBytes(_ inputs: [Input], _ facts: [PictureFacts?]) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    let byLikeness = Dictionary(grouping: inputs.indices.filter { inputs[$0].byteCount != nil }) {
      Likeness(byteCount: inputs[$0].byteCount ?? 0, facts: facts[$0])
    }
    let alike = byLikeness.values.filter { $0.count > 1 }.flatMap { together in
      Dictionary(grouping: together) { inputs[$0].samples(count: sampleLength) }.values
    }
    for together in alike where together.count > 1 {
      // Digests, since the files of hundreds would fill the memory.
      var distinct: [String: Int] = [:]
      for index in together {
        guard let digest = inputs[index].contents.flatMap({ sha256($0) }) else { continue }
        if let twin = distinct[digest] {
          pairs.append((twin, index))
        } else {
          distinct[digest] = index
        }
      }
    }
    return pairs
  }

  /// Digits that tell moments of one camera apart, however fast it shoots.
  private static let distinctDigits = 3

  /// For inputs with one time of capture, to the second.
  private static func isSameShot(_ names: [FileName], _ facts: [PictureFacts?], _ a: Int, _ b: Int) -> Bool {
    guard let (first, second) = facts[a].flatMap({ x in facts[b].map { (x, $0) } }), let one = first.capture,
      let other = second.capture, one.camera == other.camera
    else { return false }
    let (name, otherName) = (names[a], names[b])
    guard one.isSameMoment(as: other) else {
      // Some RAW files leave out the subseconds that their JPEG has.
      return (one.subseconds == nil || other.subseconds == nil) && name.stem == otherName.stem
        && (first.format != second.format || name.folder != otherName.folder)
    }
    return (one.subseconds?.utf8.count ?? 0) >= distinctDigits || first.format != second.format
      || name.original == otherName.original
  }
}

/// The parts of a file's name that pictures of one shot share.
private struct FileName {
  let folder: Substring
  /// Without suffix, in small letters.
  let stem: String
  /// Without the mark of a copy, too: "(1)", "copy".
  let original: String

  init(_ path: String) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    folder = path.dropLast(name.count)
    stem = (name.lastIndex(of: ".").map { name[..<$0] } ?? name).lowercased()
    original = stem.replacing(/( \(\d+\)|[ _-]+copy( \d+)?)+$/, with: "")
  }
}

/// Indices that belong together.
private struct Partition {
  private var parent: [Int]

  init(count: Int) { parent = Array(0..<count) }

  private func root(_ index: Int) -> Int {
    var index = index
    while parent[index] != index { index = parent[index] }
    return index
  }

  mutating func join(_ a: Int, _ b: Int) {
    let (first, second) = (root(a), root(b))
    parent[max(first, second)] = min(first, second)
  }

  /// In ascending order, as are their members.
  var groups: [[Int]] {
    let byRoot = Dictionary(grouping: parent.indices, by: root)
    return byRoot.keys.sorted().compactMap { byRoot[$0] }
  }
}

extension ImageFormat {
  /// Higher for what keeps more of a shot.
  fileprivate var quality: Int {
    switch self {
    case .raw: 4
    case .tiff, .png: 3
    case .heif, .avif, .jpegXL: 2
    case .jpeg, .webp: 1
    }
  }
}

extension ReferenceOption {
  fileprivate func names(_ index: Int, _ inputs: [Input]) -> Bool {
    switch self {
    case .auto: false
    case .index(let chosen): chosen == index
    case .name(let name): inputs[index].name == name
    }
  }
}

extension Input {
  fileprivate var frameCapture: Capture? {
    if case .frame(let frame) = self { frame.metadata.capture } else { nil }
  }

  fileprivate var byteCount: Int? {
    switch self {
    case .frame, .picture: return nil
    case .bytes(let bytes, _): return bytes.count
    case .file(let path): return try? fileByteCount(path)
    }
  }

  /// The same for the same bytes, wherever they are.
  fileprivate func samples(count: Int) -> [UInt8]? {
    switch self {
    case .frame, .picture: nil
    case .bytes(let bytes, _): Array(bytes.prefix(count) + bytes[(bytes.count / 2)...].prefix(count))
    case .file(let path): try? readHead(path, count: count) + readMiddle(path, count: count)
    }
  }

  fileprivate var contents: [UInt8]? {
    switch self {
    case .frame, .picture: nil
    case .bytes(let bytes, _): bytes
    case .file(let path): try? readFile(path)
    }
  }
}
