import CleanPlate
import Foundation

extension FoundPictures {
  /// A line for every group, and one that counts them.
  var listing: [String] {
    var lines: [String] = []
    var number = 0
    for group in groups where group.kind != .single {
      if group.kind == .burst { number += 1 }
      let start = group.kind == .burst ? "\(number)" : "-"
      lines.append(String(repeating: " ", count: max(0, 4 - start.count)) + "\(start)  \(group.words)")
    }
    return lines + [summary]
  }

  /// How many of what there are.
  var summary: String {
    let parts = PictureGroup.Kind.allCases.compactMap { kind -> String? in
      let found = groups.filter { $0.kind == kind }
      return found.isEmpty ? nil : kind.counted(found.count)
    }
    return parts.isEmpty ? "no pictures" : parts.joined(separator: ", ")
  }
}

extension PictureGroup {
  /// What it is, where, and when.
  var words: String {
    let range =
      shots.count == 1 ? first.text : "\(first.text) ... \(shots[shots.count - 1][0].lastComponent?.string ?? "")"
    var parts = ["\(kind.words(shots.count)): \(range)"]
    if isTimed { parts.append(cameraClock(start, as: "yyyy-MM-dd HH:mm:ss")) }
    if !camera.isEmpty { parts.append(camera.readableName) }
    if let bracketStops {
      let stops = "exposures over \(bracketStops.formatted(decimals: 1)) stops"
      parts.append(kind == .bracket ? "\(stops); --brackets use makes a plate of them" : stops)
    }
    if kind == .motion { parts.append("cleanplate or batch --motion makes a plate of the two") }
    if kind == .timeLapse { parts.append("--max-frames takes longer bursts") }
    return parts.joined(separator: ", ")
  }
}

extension PictureGroup.Kind {
  /// For so many shots.
  fileprivate func words(_ count: Int) -> String {
    switch self {
    case .burst: "burst of \(count)"
    case .bracket: "bracket of \(count)"
    case .timeLapse: "time lapse of \(count)"
    case .panorama: "panorama of \(count)"
    case .walk: "\(count) pictures of a walk"
    case .few: "\(count) pictures of one scene, too few"
    case .motion: "one photo with a video"
    case .single: "a picture by itself"
    }
  }

  fileprivate func counted(_ count: Int) -> String {
    let (one, many) =
      switch self {
      case .burst: ("burst", "bursts")
      case .bracket: ("bracket", "brackets")
      case .timeLapse: ("time lapse", "time lapses")
      case .panorama: ("panorama", "panoramas")
      case .walk: ("walk", "walks")
      case .few: ("scene with too few pictures", "scenes with too few pictures")
      case .motion: ("photo with a video", "photos with a video")
      case .single: ("picture by itself", "pictures by themselves")
      }
    return "\(count) \(count == 1 ? one : many)"
  }
}

extension FoundPictures {
  /// What was found, for programs.
  func json() throws -> String {
    struct Row: Encodable {
      var kind: PictureGroup.Kind
      /// Shot by shot.
      var shots: [[Name]]
      var camera: String
      var start: Double
      var end: Double
      var timed: Bool
      var size: Size
      var bracketStops: Double?

      enum CodingKeys: String, CodingKey {
        case kind, shots, camera, start, end, timed, size
        case bracketStops = "bracket_stops"
      }
    }
    struct Table: Encodable {
      var version = 1
      var bursts: [Row]
      var others: [Row]
      var skipped: [Skip]
    }
    struct Skip: Encodable {
      var file: Name
      var reason: String
    }
    func row(_ group: PictureGroup) -> Row {
      Row(
        kind: group.kind, shots: group.shots.map { $0.map(Name.init) }, camera: group.camera.readableName,
        start: group.start, end: group.end, timed: group.isTimed, size: group.size, bracketStops: group.bracketStops)
    }
    let table = Table(
      bursts: bursts.map(row), others: groups.filter { $0.kind != .burst }.map(row),
      skipped: skipped.map { Skip(file: Name($0.path), reason: $0.reason.words) })
    return String(decoding: try table.sortedJSON(), as: UTF8.self)
  }
}

/// A file's name in JSON, which is Unicode.
private struct Name: Encodable {
  var path: String
  var pathBase64: String?

  init(_ path: FilePath) { (self.path, pathBase64) = (path.text.readableName, path.text.nameBase64) }

  enum CodingKeys: String, CodingKey {
    case path
    case pathBase64 = "path_base64"
  }
}
