import Foundation
import Frames
import SystemPackage

/// Why a report cannot stand in for registration.
public enum ReportError: Error, Sendable, Hashable {
  /// Not a report of a version that is known.
  case unreadable
  case differentCount(report: Int, burst: Int)
  /// Two frames of one number have different names.
  case differentName(index: Int, report: String, burst: String)
  case differentSize(name: String, report: Size, burst: Size)
  /// The file's bytes are not those that were registered.
  case differentContent(name: String)
  /// An accepted frame has no homography that can be used.
  case badHomography(name: String)
  /// The report's reference is none of the frames that can be read.
  case noReference(index: Int)
  /// Its alignments lead to one frame, and the plate is to be drawn in another.
  case otherReference(wanted: String, report: String)
}

extension Report {
  /// The alignments that the report holds, for the frames of a burst in the same order.
  /// - Throws: `ReportError` when the report does not fit the burst.
  func alignments(for burst: Burst) throws(ReportError) -> [FrameOutcome<Alignment>] {
    guard frames.count == burst.entries.count else {
      throw .differentCount(report: frames.count, burst: burst.entries.count)
    }
    guard burst.entries.indices.contains(reference), burst.entries[reference].frame != nil else {
      throw .noReference(index: reference)
    }
    var alignments: [FrameOutcome<Alignment>] = []
    for (entry, row) in zip(burst.entries, frames) {
      alignments.append(try alignment(of: row, for: entry))
    }
    return alignments
  }

  private func alignment(
    of row: FrameReport, for entry: Burst.Entry
  ) throws(ReportError) -> FrameOutcome<Alignment> {
    guard lastPart(row.name) == lastPart(entry.name) else {
      throw .differentName(index: row.index, report: row.name, burst: entry.name)
    }
    let frame: Frame
    switch entry.outcome {
    case .accepted(let content): frame = content.frame
    case .rejected(let reason, _): return .rejected(reason)
    }
    if let size = row.size, size != frame.size {
      throw .differentSize(name: entry.name, report: size, burst: frame.size)
    }
    if let digest = row.digest, let own = entry.digest, digest != own { throw .differentContent(name: entry.name) }
    guard row.accepted else { return .rejected(.leftOutBefore(reason: row.reason ?? "")) }
    guard let homography = row.homography.flatMap(Homography.init(elements:)), homography.inverse != nil else {
      throw .badHomography(name: entry.name)
    }
    var alignment = Alignment.reference(planes: frame.planes.count)
    alignment.homography = homography
    alignment.mesh = try row.mesh.map { mesh throws(ReportError) in
      try mesh.residualMesh(size: size, name: entry.name)
    }
    alignment.inliers = row.inliers ?? 0
    alignment.residual = row.residual ?? 0
    alignment.isSmallestOfEqual = row.isSmallestOfEqual ?? false
    alignment.isUnsure = row.isUnsure ?? false
    return .accepted(alignment)
  }
}

extension Report.Mesh {
  func residualMesh(size: Size, name: String) throws(ReportError) -> ResidualMesh {
    guard (2...1000).contains(columns), (2...1000).contains(rows), dx.count == columns * rows, dy.count == dx.count,
      (dx + dy).allSatisfy(\.isFinite)
    else { throw .badHomography(name: name) }
    return ResidualMesh(columns: columns, rows: rows, size: size, dx: dx, dy: dy)
  }
}

extension Report.FrameReport {
  /// What the burst calls the frame.
  fileprivate var name: String {
    guard let pathBase64, let bytes = Data(base64Encoded: pathBase64) else { return path }
    return String(nameBytes: bytes)
  }
}

private func lastPart(_ name: String) -> FilePath.Component? { FilePath(text: name).lastComponent }
