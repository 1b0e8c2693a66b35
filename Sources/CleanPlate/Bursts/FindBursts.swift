import Codecs
import Frames
import Registration
public import SystemPackage

/// Finds out which pictures of a card belong together: by camera, size and time, and by sight.
///
/// Times are read from the files' heads. Where they leave it open whether two neighbours belong together, the pictures are
/// decoded, small, and compared: neighbours in time that do not show one scene are two bursts, and a walk is none.
/// - Parameters:
///   - paths: folders, which are searched to any depth, and files.
///   - search: how bursts are told from each other.
///   - output: a folder that is not looked into.
///   - onProgress: is told from any task how many pictures have been looked at, and of how many.
/// - Throws: `BurstError`, `AllocationError`, `CancellationError`.
public func findBursts(
  in paths: [FilePath], search: BurstSearch, except output: FilePath? = nil,
  onProgress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
) async throws -> FoundPictures {
  let card = try await Card(paths: paths, except: output, search)
  return try await card.groups(search, onProgress)
}

/// What is known of a card before anything is decoded.
struct Card: Sendable {
  let timelines: [Timeline]
  let skipped: [BurstFiles.Skipped]

  init(paths: [FilePath], except output: FilePath? = nil, _ search: BurstSearch) async throws {
    let files = try CardFiles(paths: paths, except: output)
    try await self.init(files.pictures, skipped: files.skipped, search)
  }

  init(_ pictures: [FilePath], skipped: [BurstFiles.Skipped] = [], _ search: BurstSearch) async throws {
    let inputs = pictures.map { Input.file(path: $0) }
    let facts = try await mapIndices(count: inputs.count, threads: search.threads) { PictureFacts(inputs[$0]) }
    let shots = Shots(inputs, facts)
    let known = shots.groups.map { CardShot($0, files: pictures, facts: facts) }
    timelines = Timeline.timelines(of: known.compactMap(\.self), gap: search.gap)
    let unknown = zip(shots.groups, known).filter { $0.1 == nil }.flatMap { $0.0 }
    self.skipped =
      skipped + shots.plates.map { BurstFiles.Skipped(path: pictures[$0], reason: .plate) }
      + unknown.map { .init(path: pictures[$0], reason: .unreadable(why: UnreadableFile(pictures[$0]).why)) }
  }

  /// Shots that only sight can tell apart.
  private func openCount(_ search: BurstSearch) -> Int {
    timelines.reduce(0) { sum, line in
      sum + line.stretches(gap: search.gap).reduce(0) { $0 + ($1.count > 1 ? $1.count : 0) }
    }
  }

  func groups(
    _ search: BurstSearch, _ onProgress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> FoundPictures {
    let total = openCount(search)
    let done = Counter()
    let sights = Sights(threads: search.threads, acceptsDamaged: search.acceptsDamaged) { _ in
      onProgress(done.increment(), total)
    }
    var groups: [PictureGroup] = []
    var skipped = skipped
    for line in timelines {
      for stretch in line.stretches(gap: search.gap) {
        let shots = line.shots[stretch]
        guard shots.count > 1 else {
          groups.append(PictureGroup(.single, Array(shots)))
          continue
        }
        let (scenes, unreadable) = try await sights.scenes(of: shots)
        let found = scenes.flatMap { scene in
          scene.groups(of: Array(shots), search)
        }
        groups += found.sorted { $0.start < $1.start }
        for (index, error) in unreadable {
          skipped += shots[shots.startIndex + index].files.map { .init(path: $0, reason: .unreadable(why: error.why)) }
        }
      }
    }
    let found = groups
    groups = try await mapIndices(count: found.count, threads: search.threads) { found[$0].tellingVideo() }
    return FoundPictures(groups: groups, skipped: skipped.sorted { BurstFiles.naturalOrder($0.path, $1.path) })
  }
}

extension Scene {
  /// What its shots are.
  /// - Parameter shots: of the stretch.
  func groups(of shots: [CardShot], _ search: BurstSearch) -> [PictureGroup] {
    let own = members.map { shots[$0] }
    guard own.count > 1 else { return [PictureGroup(.single, own)] }
    if own.count > search.maxFrames { return [PictureGroup(.timeLapse, own)] }
    let registrar = Registrar()
    let shape = SceneShape(self) { registrar.motion(of: $0, size: $1) }
    let stays = shape.stays.filter { $0.count >= search.atLeast }
    if shape.stays == [own.indices] { return [PictureGroup(own, search)] }
    let bursts = stays.map { PictureGroup(Array(own[$0]), search) }
    let rest = own.indices.filter { index in !stays.contains { $0.contains(index) } }.map { own[$0] }
    guard rest.count > 1 else { return bursts + rest.map { PictureGroup(.single, [$0]) } }
    return bursts + [PictureGroup(shape.isPanorama ? .panorama : .walk, rest)]
  }
}

extension PictureGroup {
  /// The same, where a picture by itself has a video, as that.
  fileprivate func tellingVideo() -> PictureGroup {
    guard kind == .single, let metadata = PictureFacts.metadata(of: first),
      MotionVideo.isLikely(of: first, metadata: metadata), (try? MotionPhoto(first)) != nil
    else { return self }
    var group = self
    group.kind = .motion
    return group
  }

  /// Pictures of one scene from one place.
  fileprivate init(_ shots: [CardShot], _ search: BurstSearch) {
    let stops = Brackets.stops(of: shots.map(\.stops))
    let kind: Kind =
      shots.count < search.atLeast ? .few : stops != nil && !search.usesBrackets ? .bracket : .burst
    self.init(kind, shots)
    bracketStops = stops
  }

  fileprivate init(_ kind: Kind, _ shots: [CardShot]) {
    let first = shots[0]
    self.init(
      kind: kind, shots: shots.map(\.files), camera: first.camera, start: shots.map(\.moment).min() ?? first.moment,
      end: shots.map(\.moment).max() ?? first.moment, isTimed: first.isTimed, size: first.size)
  }
}
