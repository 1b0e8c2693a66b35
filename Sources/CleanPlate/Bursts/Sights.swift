import Codecs
import Frames
import Registration
import Resampling
import ShimSupport
import SystemPackage

/// Looks at shots, small, and finds out which of those that are neighbours in time show one scene.
struct Sights: Sendable {
  let threads: Int
  /// Whether pictures are looked at that are damaged.
  let acceptsDamaged: Bool
  /// Called from any task when so many more shots have been looked at.
  let tell: @Sendable (Int) -> Void

  /// Shots that are held at once beside those that others may belong to.
  private static let chunk = 48
  /// A shot belongs to the scene of the one before it, or else of one of those before that: between two that belong together
  /// somebody may hide everything.
  static let reach = 3

  /// A walk and a panorama are seen to be one by motions that no burst has.
  private static let registrar: Registrar = {
    var limits = MotionLimits()
    limits.cornerMotion = 0.9
    return Registrar(mesh: false, limits: limits)
  }()

  /// What became of a shot.
  struct Seen: Sendable {
    /// Place in the stretch.
    let index: Int
    var picture: SmallShot
  }

  /// The scenes that a stretch of shots shows, in the order of their first shots, and the shots that could not be read.
  /// - Throws: `CancellationError`; `ShimError` when memory runs out.
  func scenes(of shots: ArraySlice<CardShot>) async throws -> (
    scenes: [Scene], unreadable: [(index: Int, UnreadableFile)]
  ) {
    let first = shots.startIndex
    var recent: [Seen] = []
    var scenes = OpenScenes()
    var unreadable: [(index: Int, UnreadableFile)] = []
    for start in stride(from: 0, to: shots.count, by: Self.chunk) {
      let count = min(Self.chunk, shots.count - start)
      let read = try await mapIndices(count: count, threads: threads) { k in
        let picture = try SmallShot.read(shots[first + start + k], acceptsDamaged: acceptsDamaged)
        tell(1)
        return picture.map { Seen(index: start + k, picture: $0) }
      }
      for case (let k, .failure(let error)) in read.enumerated() { unreadable.append((start + k, error)) }
      let known = recent.count
      let (seen, glances) = try await glances(from: known, in: recent + read.compactMap { try? $0.get() })
      // The earlier shots on which those are looked at that a glance tells nothing of.
      let looks = glances.indices.map { k -> Range<Int> in
        guard glances[k] == nil else { return 0..<0 }
        // What the shot before shows clearly is known by it.
        let isAlone = k == 0 || glances[k - 1]?.other != seen[known + k - 1].index - 1
        return max(0, known + k - (isAlone ? 2 : 1))..<known + k
      }
      let doubtful = looks.indices.filter { !looks[$0].isEmpty }
      let described = try await descriptions(of: Set(doubtful.flatMap { [known + $0] + looks[$0] }), in: seen)
      let links = try await mapIndices(count: seen.count - known, threads: threads) { k in
        try glances[k] ?? look(at: known + k, on: looks[k], in: seen, described)
      }
      for (k, link) in links.enumerated() { scenes.take(seen[known + k], link) }
      recent = seen.suffix(Self.reach)
      try scenes.close(keeping: Set(recent.map(\.index)), Self.registrar)
    }
    try scenes.close(keeping: [], Self.registrar)
    return (scenes.scenes, unreadable)
  }

  /// Whether shots show one scene, or may.
  func areOneScene(_ shots: [CardShot]) async throws -> Bool {
    let seen = try await mapIndices(count: shots.count, threads: threads) {
      try SmallShot.read(shots[$0], acceptsDamaged: acceptsDamaged)
    }.compactMap { try? $0.get() }
    var known = Array(seen.prefix(1))
    for picture in seen.dropFirst() {
      let isKnown = try known.contains { other in
        if try Self.registrar.glance(at: picture.glimpse, on: other.glimpse) != nil { return true }
        let (picture, other) = try (picture.whole(), other.whole())
        if try Self.registrar.glance(at: picture.glimpse, on: other.glimpse) != nil { return true }
        let descriptions = try (Self.registrar.describe(picture), Self.registrar.describe(other))
        if case .different = try Self.registrar.look(at: descriptions.0, on: descriptions.1) { return false }
        return true
      }
      guard isKnown else { return false }
      known.append(picture)
    }
    return true
  }

  /// What a glance at each of the shots from a place on tells.
  /// - Returns: also the shots, as wholes where halves leave it open.
  private func glances(from first: Int, in halves: [Seen]) async throws -> (seen: [Seen], links: [Link?]) {
    let found = try await mapIndices(count: halves.count - first, threads: threads) {
      try glance(at: first + $0, in: halves)
    }
    let open = found.indices.filter { found[$0] == nil && first + $0 > 0 }
    let doubtful = Set(open.flatMap { max(0, first + $0 - Self.reach)...first + $0 }).sorted()
    let pictures = try await mapIndices(count: doubtful.count, threads: threads) {
      try halves[doubtful[$0]].picture.whole()
    }
    var seen = halves
    for (place, picture) in zip(doubtful, pictures) { seen[place].picture = picture }
    let wholes = seen
    let again = try await mapIndices(count: open.count, threads: threads) {
      try glance(at: first + open[$0], in: wholes)
    }
    var links = found
    for (k, link) in zip(open, again) { links[k] = link }
    return (wholes, links)
  }

  /// All that registration knows of some of the shots, by their places.
  private func descriptions(of places: Set<Int>, in seen: [Seen]) async throws -> [Int: FrameDescription] {
    let places = places.sorted()
    let made = try await mapIndices(count: places.count, threads: threads) {
      try Self.registrar.describe(seen[places[$0]].picture)
    }
    return Dictionary(uniqueKeysWithValues: zip(places, made))
  }

  /// The shot before, the nearest first, whose scene one shows beyond doubt.
  private func glance(at k: Int, in seen: [Seen]) throws -> Link? {
    for other in seen[max(0, k - Self.reach)..<k].reversed() {
      if let map = try Self.registrar.glance(at: seen[k].picture.glimpse, on: other.picture.glimpse) {
        return Link(other: other.index, map: map)
      }
    }
    return nil
  }

  /// The same for a shot that a glance tells nothing of.
  /// - Parameter places: of the earlier ones that are looked at.
  private func look(
    at k: Int, on places: Range<Int>, in seen: [Seen], _ described: [Int: FrameDescription]
  ) throws -> Link? {
    var isOpen = false
    for place in places.reversed() {
      guard let own = described[k], let other = described[place] else { continue }
      switch try Self.registrar.look(at: own, on: other) {
      case .same(let map): return Link(other: seen[place].index, map: map)
      case .open: isOpen = true
      case .different: continue
      }
    }
    return isOpen ? Link(other: seen[k - 1].index, map: nil) : nil
  }
}

/// That a shot shows the scene of an earlier one, or may show it.
struct Link: Sendable {
  /// The earlier one.
  let other: Int
  /// The shot's pixels on it, both as they are looked at; nil where sight leaves it open.
  let map: Homography?
}

/// Shots that follow on each other and show one scene.
struct Scene: Sendable {
  /// Places in the stretch, ascending.
  var members: [Int]
  /// The members' pixels on the first's.
  var poses: [Homography]
  /// As they are looked at.
  let size: Size
  /// Whether the last shows what the first shows, where somebody has looked.
  var returns: Bool?
}

/// Scenes that shots may still come to.
private struct OpenScenes {
  private struct Open {
    var scene: Scene
    let first: SmallShot
    var last: SmallShot
  }
  private var open: [Open] = []
  private var closed: [Scene] = []
  /// Shots, by which shots' scenes they may show.
  private var doubts: [(shot: Int, other: Int)] = []

  /// All that were closed, in the order of their first shots.
  ///
  /// Where sight leaves it open, time decides, unless one of the two has company: what shows a scene clearly would have shown
  /// the other as well.
  var scenes: [Scene] {
    var alone: [Int: Scene] = [:]
    for scene in closed where scene.members.count == 1 { alone[scene.members[0]] = scene }
    var leader: [Int: Int] = [:]
    for doubt in doubts.sorted(by: { $0.shot < $1.shot }) {
      guard let own = alone[doubt.shot], alone[leader[doubt.other] ?? doubt.other] != nil else { continue }
      let first = leader[doubt.other] ?? doubt.other
      leader[doubt.shot] = first
      alone[first]?.members += own.members
      alone[first]?.poses += own.poses
      alone[doubt.shot] = nil
    }
    return (closed.filter { $0.members.count > 1 } + alone.values).sorted { $0.members[0] < $1.members[0] }
  }

  mutating func take(_ seen: Sights.Seen, _ link: Link?) {
    if let link, link.map == nil { doubts.append((seen.index, link.other)) }
    if let link, let map = link.map, let place = open.lastIndex(where: { $0.scene.members.contains(link.other) }),
      let member = open[place].scene.members.lastIndex(of: link.other)
    {
      let pose = open[place].scene.poses[member] * map
      open[place].scene.members.append(seen.index)
      open[place].scene.poses.append(pose ?? open[place].scene.poses[member])
      open[place].last = seen.picture
    } else {
      let scene = Scene(members: [seen.index], poses: [.identity], size: seen.picture.glimpse.size)
      open.append(Open(scene: scene, first: seen.picture, last: seen.picture))
    }
  }

  /// Closes the scenes to which no shot can come any more.
  mutating func close(keeping recent: Set<Int>, _ registrar: Registrar) throws {
    for place in open.indices.reversed() where recent.isDisjoint(with: open[place].scene.members) {
      var entry = open.remove(at: place)
      if entry.scene.members.count > 2, entry.scene.spread(registrar) > MotionLimits().cornerMotion / 2 {
        switch try registrar.look(at: registrar.describe(entry.last), on: registrar.describe(entry.first)) {
        case .same(let map):
          entry.scene.returns = registrar.motion(of: map, size: entry.scene.size) < MotionLimits().cornerMotion
        case .different: entry.scene.returns = false
        case .open: break
        }
      }
      closed.append(entry.scene)
    }
  }
}

extension Scene {
  /// How far the pictures lie from the first, as a share of the width.
  func spread(_ registrar: Registrar) -> Double {
    poses.map { registrar.motion(of: $0, size: size) }.max() ?? 0
  }
}
