import Codecs
import Foundation
import Frames
public import SystemPackage

/// Makes a plate of every burst that folders hold, and of those that arrive, until the task is cancelled.
///
/// A burst is made when nothing has come to it for the gap between bursts. Folders may go and come back, as cards do; in the
/// beginning they must be there.
/// - Parameters:
///   - paths: folders, which are searched to any depth, and files.
///   - output: the plates' folder; made if missing.
///   - options: as for `makePlates`.
///   - onEvent: is told from any task what happens.
///   - onPass: is told what became of the bursts, whenever they have been gone through.
/// - Throws: as `makePlates`; `CancellationError` in the end.
public func watchFolders(
  _ paths: [FilePath], into output: FilePath, options: BatchOptions,
  onEvent: @escaping @Sendable (BatchEvent) -> Void = { _ in }, onPass: (BatchResult) -> Void
) async throws {
  var options = options
  let gap = options.search.gap
  options.settling = gap
  try BatchFolder(path: output).make()
  var present = paths
  var roots = paths.map { FileIdentity($0) }
  var watch = try FolderWatch(paths, except: output)
  let clock = ContinuousClock()
  var last: ContinuousClock.Instant?
  var isWaiting = true
  while true {
    if try watch.hasNews() { isWaiting = true }
    let now = paths.map { FileIdentity($0) }
    if last != nil, now != roots {
      (roots, present) = (now, paths.filter { (try? FileKind($0)) != nil })
      watch = try FolderWatch(paths, except: output)
      isWaiting = true
    }
    // Who takes photos all day long is served all the same.
    if isWaiting, last.map({ clock.now - $0 >= .seconds(min(gap, 5)) }) ?? true {
      isWaiting = false
      let result = try await makePlates(of: present, into: output, options: options, onEvent: onEvent)
      onPass(result)
      last = clock.now
      if result.arriving > 0 { isWaiting = true }
    }
    try await Task.sleep(for: .milliseconds(300))
  }
}
