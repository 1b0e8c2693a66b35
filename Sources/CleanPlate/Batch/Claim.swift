import Codecs
import Foundation
import Frames
import SystemPackage

/// The right to do a piece of work in a folder that several runs share, on one machine or on many.
///
/// A claim is a folder that is not empty: renaming another onto it fails, on every file system that has `rename` at all, so that
/// of any number of runs one gets it. Its holder touches it now and then; one that has not been touched for long was left by a run
/// that is gone, and so was one whose process is gone from this machine. Should two runs take one claim all the same, they do
/// the same work, and nothing worse happens.
final class Claim: Sendable {
  private let path: FilePath
  private let token: String
  private let heart: Task<Void, Never>

  /// Seconds after which a claim that was not touched is nobody's, and seconds between touches.
  static let (patience, beat) = (180.0, 20.0)

  private static let owner: FilePath.Component = "owner.json"

  /// Takes a claim unless somebody holds it.
  /// - Parameter folder: of claims; made if missing.
  /// - Returns: nil when a run that is alive holds it.
  /// - Throws: `FileError`.
  static func take(_ name: FilePath.Component, in folder: FilePath) throws -> Claim? {
    if let claim = try make(name, in: folder) { return claim }
    guard try removeStale(name, in: folder) else { return nil }
    return try make(name, in: folder)
  }

  private init(path: FilePath, owner: ClaimOwner) {
    self.path = path
    token = owner.token
    heart = Task.detached {
      while (try? await Task.sleep(for: .seconds(Claim.beat))) != nil {
        guard ClaimOwner(path.appending(Claim.owner))?.token == owner.token else { return }
        try? writeAtomically(owner.json(), to: path.appending(Claim.owner))
      }
    }
  }

  deinit { heart.cancel() }

  private static func make(_ name: FilePath.Component, in folder: FilePath) throws -> Claim? {
    let unfinished = try UnfinishedFolder(in: folder)
    let owner = ClaimOwner.current()
    do {
      try writeAtomically(owner.json(), to: unfinished.path.appending(Self.owner))
      return Claim(path: try unfinished.finish(as: name), owner: owner)
    } catch FileError.cannotCreate(_, let code) where code == EEXIST || code == ENOTEMPTY {
      unfinished.discard()
      return nil
    } catch {
      unfinished.discard()
      throw error
    }
  }

  /// Lets others have it.
  func release() {
    heart.cancel()
    guard ClaimOwner(path.appending(Self.owner))?.token == token else { return }
    Self.remove(path)
  }

  /// - Returns: whether the claim is gone.
  private static func removeStale(_ name: FilePath.Component, in folder: FilePath) throws -> Bool {
    let path = folder.appending(name)
    guard let owner = ClaimOwner(path.appending(Self.owner)) else {
      // Released meanwhile, or left by somebody who was interrupted while releasing it.
      return try age(of: path, in: folder) > patience ? remove(path) : (try? FileKind(path)) == nil
    }
    guard try owner.isGone || age(of: path.appending(Self.owner), in: folder) > patience else { return false }
    return remove(path) { ClaimOwner($0.appending(Self.owner))?.token == owner.token }
  }

  /// Moves it out of the way first, so that of several who find it stale one removes it.
  @discardableResult
  private static func remove(_ path: FilePath, if isMeant: (FilePath) -> Bool = { _ in true }) -> Bool {
    guard let aside = try? moveAside(path) else { return false }
    guard isMeant(aside) else {
      // Somebody has removed it and made one anew in between: it is put back, or if there is a third, let go.
      _ = aside.withPlatformString { aside in path.withPlatformString { rename(aside, $0) } }
      return false
    }
    discardFolder(aside)
    return true
  }

  /// Seconds since a file was written, by the clock of its file system: machines' clocks differ. What that clock has yet to
  /// reach was written before somebody put it back, and nobody knows when.
  private static func age(of path: FilePath, in folder: FilePath) throws -> Double {
    guard let written = try? FileStamp(path).writtenSeconds else { return 0 }
    let probe = folder.appending(".now-\(UUID().uuidString)")
    try writeAtomically([], to: probe)
    defer { _ = probe.withPlatformString { unlink($0) } }
    let age = try FileStamp(probe).writtenSeconds - written
    return age < -patience ? .infinity : age
  }
}

/// Who holds a claim.
struct ClaimOwner: Codable, Sendable {
  let token: String
  let host: String
  /// Differs after every start of the machine, and between containers that do not see each other's processes.
  let world: String
  let process: Int32
  /// When the process began, in ticks: numbers of processes come again.
  let started: String

  static func current() -> ClaimOwner {
    let process = getpid()
    return ClaimOwner(
      token: UUID().uuidString, host: ProcessInfo.processInfo.hostName, world: world, process: process,
      started: start(of: process) ?? "")
  }

  /// - Returns: nil for what cannot be read.
  init?(_ path: FilePath) {
    guard let bytes = try? readFile(path, limit: 1 << 16),
      let owner = try? JSONDecoder().decode(ClaimOwner.self, from: Data(bytes))
    else { return nil }
    self = owner
  }

  private init(token: String, host: String, world: String, process: Int32, started: String) {
    (self.token, self.host, self.world, self.process, self.started) = (token, host, world, process, started)
  }

  func json() throws -> [UInt8] { try sortedJSON(spread: false) }

  /// Whether the process is known to have ended.
  var isGone: Bool { !world.isEmpty && world == Self.world && Self.start(of: process) != started }

  private static let world: String = {
    let boot = (try? readFile("/proc/sys/kernel/random/boot_id", limit: 1 << 10)) ?? []
    let space = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? ""
    let id = String(decoding: boot, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return id.isEmpty || space.isEmpty ? "" : "\(id) \(space)"
  }()

  /// The 22nd field of `/proc/PID/stat`; nil for a process that is gone, or waits only to be buried.
  private static func start(of process: Int32) -> String? {
    guard let bytes = try? readFile(FilePath("/proc/\(process)/stat"), limit: 1 << 12) else { return nil }
    // The name, in parentheses, may hold anything.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, fields[0] != "Z" else { return nil }
    return String(fields[19])
  }
}
