import Codecs
import Foundation
import Frames
import SystemPackage

extension Report {
  init(
    _ burst: Burst, _ registered: RegisteredBurst, crop: Region, _ options: Options,
    unresolved: (share: Double, places: Int)?, detector: DetectorOption.Files?, seconds: [String: Double]
  ) {
    self.init(
      program: "cleanplate \(programVersion)", reference: registered.referenceIndex.rawValue,
      size: registered.reference.size,
      crop: crop, combine: options.combine, align: options.align, options: Choices(options),
      detector: detector.map { DetectorFile($0) }, frames: [], unresolved: unresolved?.share ?? 0,
      unresolvedPlaces: unresolved?.places, seconds: seconds)
    frames = zip(burst.entries, registered.outcomes).enumerated().map { index, frame in
      FrameReport(index: index, frame.0, frame.1)
    }
  }

  /// A report that was written as `report.json`.
  /// - Throws: `ReportError.unreadable` when the bytes are no report of version 1 or 2.
  public init(json: [UInt8]) throws(ReportError) {
    do {
      self = try JSONDecoder().decode(Report.self, from: Data(json))
    } catch {
      throw .unreadable
    }
    guard (1...2).contains(version) else { throw .unreadable }
  }

  /// Reads both versions. Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let row = try decoder.container(keyedBy: CodingKeys.self)
    /// As version 1 spelled them.
    enum EarlierKeys: CodingKey { case unresolvedPlaces }
    let earlier = try decoder.container(keyedBy: EarlierKeys.self)
    self.init(
      version: try row.decode(Int.self, forKey: .version),
      program: try row.decodeIfPresent(String.self, forKey: .program),
      reference: try row.decode(Int.self, forKey: .reference), size: try row.decode(Size.self, forKey: .size),
      crop: try row.decode(Region.self, forKey: .crop), combine: try row.decode(CombineOperator.self, forKey: .combine),
      align: try row.decode(AlignmentModel.self, forKey: .align),
      options: try row.decodeIfPresent(Choices.self, forKey: .options),
      detector: try row.decodeIfPresent(DetectorFile.self, forKey: .detector),
      frames: try row.decode([FrameReport].self, forKey: .frames),
      unresolved: try row.decode(Double.self, forKey: .unresolved),
      unresolvedPlaces: try row.decodeIfPresent(Int.self, forKey: .unresolvedPlaces)
        ?? earlier.decodeIfPresent(Int.self, forKey: .unresolvedPlaces),
      seconds: try row.decode([String: Double].self, forKey: .seconds))
  }

  /// What was done to make the plate, in one line, for its metadata.
  public var history: String {
    let used = frames.filter(\.accepted).map(\.path.lastPathPart)
    return "\(combine.rawValue) of \(used.count) frames: \(used.joined(separator: ", "))"
  }

  /// The report as `report.json`: keys sorted, UTF-8, ending in a newline.
  public func json() throws -> [UInt8] { try sortedJSON() + [UInt8(ascii: "\n")] }
}

extension String {
  /// What a picture tells of a frame's name: in which folder that lay is for whoever made the plate to know.
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }

  /// A name's bytes in Base64, for JSON, which is Unicode; nil where they are UTF-8 and need none of it.
  public var nameBase64: String? {
    let bytes = nameBytes
    return String(validating: bytes, as: UTF8.self) == nil ? Data(bytes).base64EncodedString() : nil
  }
}

extension Report.Choices {
  init(_ options: Options) {
    let reference =
      switch options.reference {
      case .auto: "auto"
      case .index(let index): "\(index)"
      case .name(let name): name.readableName
      }
    let detector =
      switch options.detector {
      case .auto: "auto"
      case .off: "off"
      case .path(let path): path.text.readableName
      }
    self.init(
      reference: reference, crop: options.crop, mesh: options.mesh, detector: detector,
      edits: options.edits.isEmpty ? nil : PlateEdits.Document(options.edits),
      bits: options.bits, acceptsDamaged: options.acceptsDamaged, reusesAlignment: options.alignment != nil,
      motion: options.motion ? true : nil)
  }
}

extension Report.DetectorFile {
  init(_ files: DetectorOption.Files) {
    path = files.weights.text.readableName
    digest = files.weightsDigest
    peoplePath = files.people?.text.readableName
    peopleDigest = files.peopleDigest
    outlinesPath = files.outlines?.text.readableName
    outlinesDigest = files.outlinesDigest
  }
}

extension Report.FrameReport {
  init(index: Int, _ entry: Burst.Entry, _ outcome: FrameOutcome<RegisteredFrame>) {
    self.init(
      index: index, path: entry.name.readableName, pathBase64: entry.name.nameBase64, digest: entry.digest,
      size: entry.frame?.size, accepted: outcome.isAccepted, reason: outcome.rejection?.words,
      reasonCode: outcome.rejection?.code)
    if let alignment = outcome.alignment {
      homography = alignment.homography.elements
      mesh = alignment.mesh.map {
        Report.Mesh(columns: $0.dx.columns, rows: $0.dx.rows, dx: $0.dx.values, dy: $0.dy.values)
      }
      inliers = alignment.inliers
      residual = alignment.residual
      isSmallestOfEqual = alignment.isSmallestOfEqual ? true : nil
      isUnsure = alignment.isUnsure ? true : nil
      sharpness = alignment.sharpness
      whiteBalance = alignment.photometric.whiteBalance?.gains
      gain = alignment.photometric.channels.map(\.gain)
      offset = alignment.photometric.channels.map(\.offset)
    }
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
