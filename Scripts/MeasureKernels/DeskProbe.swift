import CleanPlate
import Foundation

/// Seconds that somebody waits who watches a plate grow and puts it right: until a frame counts in the live plate and its
/// advice, and until an edit of the kept plate is made, by kind.
func deskSeconds(of paths: [String], threads: Int, detector: DetectorOption) async throws -> [String: Double] {
  var seconds: [String: Double] = [:]
  let live = LivePlate(threads: threads)
  var delays: [Double] = []
  for path in paths {
    let frame = try decode(try readFile(FilePath(path)), name: path)
    delays.append(
      try await measureTask {
        try await live.add(frame)
        _ = try await live.plate(.median)
      })
  }
  seconds["live.median"] = delays.sorted()[delays.count / 2]
  seconds["live.longest"] = delays.max()
  seconds["live.advice"] = try await measureTask { _ = try await live.prospect() }

  let inputs = paths.map { Input.file(path: FilePath($0)) }
  let desk = try await EditablePlate(of: inputs, options: try Options(detector: detector, threads: threads))
  let frames = desk.frames
  var waits: [String: [Double]] = [:]
  var edits: [PlateEdit] = []
  for turn in 0..<24 {
    let frame = frames[turn % frames.count]
    guard let point = try await desk.somebody(in: frame, turn / frames.count) else { continue }
    let (kind, edit): (String, PlateEdit) =
      switch turn % 3 {
      case 0: ("take", .take(.index(frame), .point(point)))
      case 1: ("remove", .remove(.point(point), from: .index(frame)))
      default: ("paint", .take(.index(frame), .stroke(Stroke(points: [point], radius: 60))))
      }
    let wait = try await measureTask {
      do {
        try await desk.apply(PlateEdits(edits + [edit]))
        edits.append(edit)
      } catch is EditError {
        // That the frame shows nothing else there is an answer, too.
      }
    }
    waits[kind, default: []].append(wait)
  }
  for (kind, waits) in waits {
    seconds["edit.\(kind).median"] = waits.sorted()[waits.count / 2]
    seconds["edit.\(kind).longest"] = waits.max()
  }
  seconds["edits"] = Double(edits.count)
  return seconds
}

extension EditablePlate {
  /// A point of the reference at which a frame looks quite another than the plate.
  /// - Parameter rank: how many such places to leave out.
  fileprivate func somebody(in frame: Int, _ rank: Int) async throws -> Point? {
    let factor = 16
    guard let plate = try await picture(of: crop, reducedBy: factor),
      let own = try await picture(of: crop, reducedBy: factor, frame: frame)
    else { return nil }
    var places: [(distance: Int, x: Int, y: Int)] = []
    for y in 0..<plate.size.height {
      plate.planes[0].withUnsafeRow(y, as: UInt8.self) { a in
        own.planes[0].withUnsafeRow(y, as: UInt8.self) { b in
          for x in 0..<plate.size.width { places.append((abs(Int(a[x]) - Int(b[x])), x, y)) }
        }
      }
    }
    var found: [(distance: Int, x: Int, y: Int)] = []
    for place in places.sorted(by: { $0.distance > $1.distance })
    where found.allSatisfy({ abs($0.x - place.x) + abs($0.y - place.y) > 20 }) {
      found.append(place)
      if found.count > rank { break }
    }
    return found.last.map { Point(x: Double(crop.x + factor * $0.x), y: Double(crop.y + factor * $0.y)) }
  }
}
