import Foundation
import Frames

extension Report {
  init(
    _ burst: Burst, _ registered: RegisteredBurst, crop: Region, _ options: Options,
    unresolved: (share: Double, places: Int)?,
    seconds: [String: Double]
  ) {
    self.init(
      reference: registered.referenceIndex, size: registered.reference.size, crop: crop, combine: options.combine,
      align: options.align, frames: [], unresolved: unresolved?.share ?? 0, unresolvedPlaces: unresolved?.places,
      seconds: seconds)
    frames = zip(burst.entries, registered.alignments).enumerated().map { index, pair in
      FrameReport(
        index: index, name: pair.0.name, digest: pair.0.digest, size: pair.0.frame?.size, alignment: pair.1)
    }
  }

  /// A report that was written as `report.json`.
  /// - Throws: `ReportError.unreadable` when the bytes are no report of this version.
  public init(json: [UInt8]) throws(ReportError) {
    do {
      self = try JSONDecoder().decode(Report.self, from: Data(json))
    } catch {
      throw .unreadable
    }
    guard version == 1 else { throw .unreadable }
  }

  /// What was done to make the plate, in one line, for its metadata.
  public var history: String {
    let used = frames.filter(\.accepted).map { $0.path.split(separator: "/").last.map(String.init) ?? $0.path }
    return "\(combine.rawValue) of \(used.count) frames: \(used.joined(separator: ", "))"
  }

  /// The report as `report.json`: keys sorted, UTF-8, ending in a newline.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}

extension String {
  /// A name's bytes in Base64, for JSON, which is Unicode; nil where they are UTF-8 and need none of it.
  public var nameBase64: String? {
    let bytes = nameBytes
    return String(validating: bytes, as: UTF8.self) == nil ? Data(bytes).base64EncodedString() : nil
  }
}

extension Report.FrameReport {
  init(index: Int, name: String, digest: String?, size: Size?, alignment: Result<Alignment, Rejection>) {
    self.init(
      index: index, path: name.readableName,
      pathBase64: name.nameBase64, digest: digest, size: size,
      accepted: false)
    switch alignment {
    case .failure(let rejection): describe(rejection)
    case .success(let alignment):
      if case .rejected(let rejection) = alignment.verdict { describe(rejection) }
      accepted = alignment.isAccepted
      homography = alignment.homography.elements
      mesh = alignment.mesh.map {
        Report.Mesh(columns: $0.dx.columns, rows: $0.dx.rows, dx: $0.dx.values, dy: $0.dy.values)
      }
      inliers = alignment.inliers
      residual = alignment.residual
      sharpness = alignment.sharpness
      gain = alignment.photometric.channels.map(\.gain)
      offset = alignment.photometric.channels.map(\.offset)
    }
  }

  private mutating func describe(_ rejection: Rejection) {
    reason = rejection.words
    reasonCode = rejection.code
  }
}

extension Report {
  /// Whether near things moved against far ones from photo to photo, as they do when the camera changes its place: in
  /// half of the registered frames or more, a tenth of the picture lies further than 0.15 % of the width from where a
  /// turning camera would put it.
  public var nearThingsMoved: Bool {
    let displaced = frames.filter { $0.accepted && $0.index != reference }.map { frame in
      guard let mesh = frame.mesh else { return false }
      let least = Float(0.0015 * Double(size.width))
      let far = zip(mesh.dx, mesh.dy).count { dx, dy in dx * dx + dy * dy > least * least }
      return far * 10 >= mesh.dx.count
    }
    return displaced.count(where: \.self) * 2 >= max(displaced.count, 1)
  }
}
