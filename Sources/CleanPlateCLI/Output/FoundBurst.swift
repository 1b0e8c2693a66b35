import CleanPlate
import Codecs
import SystemPackage

/// The files of a burst that nothing has been decoded of yet.
struct FoundBurst {
  /// As the user named them; a video's frames know no path any more.
  let named: [FilePath]
  /// Themselves, and those in folders; nil for standard input.
  let pictures: [FilePath]?
  let choice: FrameChoice
  /// The options by which frames are chosen that were given.
  let choiceOptions: [String]
  /// Bytes that decoded planes may hold.
  let memory: Int?
  /// Whether what damaged files still show is taken.
  let acceptsDamaged: Bool

  /// All that is read.
  var files: [FilePath] { named + (pictures ?? []) }

  /// Who names files means them; a folder may hold more than one burst.
  /// - Parameter leftOut: names of pictures that did not fit to the others; nil before a plate has been made.
  /// - Throws: `SeveralBursts`.
  func checkIsOne(threads: Int, without leftOut: Set<String>? = nil) async throws {
    guard let pictures, named.allSatisfy({ (try? FileKind($0)) == .folder }) else { return }
    let left = leftOut.map { names in Set(pictures.filter { names.contains($0.text) }) }
    let bursts = try await severalBursts(
      among: pictures, search: try BurstSearch(acceptsDamaged: acceptsDamaged, threads: threads),
      leftOut: left)
    if let bursts { throw SeveralBursts(folders: named, bursts: bursts) }
  }

  /// The pictures, and frames of videos, which are read for it.
  func inputs(_ console: Console) throws -> [Input] {
    guard let pictures else {
      return try streamInputs(
        descriptor: FileDescriptor.standardInput.rawValue, name: "standard input", choice: choice, memory: memory,
        acceptsDamaged: acceptsDamaged
      ) { console.show($0) }
    }
    let videos = pictures.filter(isVideo)
    if let path = pictures.first, pictures.count == 1, videos.isEmpty,
      let series = try seriesInputs(
        path, choice: choice, memory: memory, acceptsDamaged: acceptsDamaged, onEvent: { console.show($0) })
    {
      return series
    }
    if videos.isEmpty, !choiceOptions.isEmpty {
      console.warn(
        "\(choiceOptions.joined(separator: " and ")) \(choiceOptions.count == 1 ? "chooses" : "choose") among the frames of a "
          + "video or of one file of several pictures; of photos, all \(pictures.count) are taken")
    }
    return try pictures.flatMap { path in
      guard let position = videos.firstIndex(of: path) else { return [Input.file(path: path)] }
      return try videoInputs(path, choice: choice, memory: memory, acceptsDamaged: acceptsDamaged) { event in
        if let event = event.ofVideo(position, of: videos.count) { console.show(event) }
      }
    }
  }
}

extension FoundBurst {
  /// A photo and frames of its video.
  func inputs(of photo: MotionPhoto, _ console: Console) throws -> [Input] {
    try photo.inputs(choice: choice, memory: memory, acceptsDamaged: acceptsDamaged) { console.show($0) }
  }
}

extension Event {
  /// What reading one of several videos means for reading all of them; nil for nothing.
  fileprivate func ofVideo(_ position: Int, of count: Int) -> Event? {
    switch self {
    case .started: position == 0 ? self : nil
    case .finished: position == count - 1 ? self : nil
    case .progress(let stage, let done, let total):
      .progress(stage, done: position * total + done, total: count * total)
    default: self
    }
  }
}

/// Folders that hold more than the one burst that a plate is made of.
struct SeveralBursts: Error {
  let folders: [FilePath]
  let bursts: [PictureGroup]

  /// How many are named.
  private static let most = 5

  var explanation: String {
    let names = bursts.prefix(Self.most).map { burst in
      "\n  \(burst.shots.count) pictures, \(burst.first.text) ... \(burst.shots[burst.shots.count - 1][0].lastComponent?.string ?? "")"
    }
    let more = bursts.count > Self.most ? "\n  and \(bursts.count - Self.most) more" : ""
    let folder = folders.map { "'\($0.text)'" }.joined(separator: " and ")
    return """
      \(folder) \(folders.count == 1 ? "holds" : "hold") \(bursts.count) bursts, and a plate is made of one:\
      \(names.joined())\(more)
      Name the pictures of one, or make all plates with cleanplate batch.
      """
  }
}
