import Codecs
import Foundation
import Frames
import Synchronization
public import SystemPackage

/// How the plates of many bursts are made.
public struct BatchOptions: Sendable {
  /// Of every plate. The memory is that of all together.
  public var plate: Options
  /// How plates are written; `history` is each plate's own.
  public var encoding: EncodeOptions
  /// How they are called.
  public var template: NameTemplate
  /// How bursts are told from each other.
  public var search: BurstSearch
  /// Which of the bursts to make; nil for all.
  public var shard: Shard?
  /// Whether photos with a video, as phones store them, become plates too (`MotionPhoto`).
  public var usesMotion: Bool
  /// Whether only to say what would be made.
  public var isDryRun: Bool
  /// Seconds for which the files of a burst must have been left alone; nil for none.
  var settling: Double?

  /// What every plate of the batch has in common.
  public init(
    plate: Options, encoding: EncodeOptions, template: NameTemplate, search: BurstSearch, shard: Shard? = nil,
    usesMotion: Bool = false, isDryRun: Bool = false
  ) {
    (self.plate, self.encoding, self.template) = (plate, encoding, template)
    (self.search, self.shard, self.usesMotion, self.isDryRun) = (search, shard, usesMotion, isDryRun)
  }
}

/// A part of the bursts: every `count`th.
public struct Shard: Sendable, Hashable {
  /// From 1.
  public let number: Int
  /// How many parts there are.
  public let count: Int

  /// - Returns: nil unless `number` is within 1...`count`.
  public init?(number: Int, count: Int) {
    guard count >= 1, (1...count).contains(number) else { return nil }
    (self.number, self.count) = (number, count)
  }
}

/// What a batch tells while it works; from any task.
public enum BatchEvent: Sendable {
  /// So many of the pictures that must be looked at have been.
  case searching(done: Int, of: Int)
  /// What the folders hold, and how many of the bursts this run takes, with how many frames.
  case found(FoundPictures, plates: Int, frames: Int)
  /// A burst tells something.
  case burst(plate: String, Event)
  /// A burst is through.
  case finished(plate: String, PictureGroup, BatchOutcome)
}

/// What became of the bursts of a batch, in their order.
public struct BatchResult: Sendable {
  /// By the plate's name: the burst, and what became of it.
  public var outcomes: [(plate: String, burst: PictureGroup, outcome: BatchOutcome)]
  /// Bursts that may still be arriving.
  var arriving = 0
}

/// Makes a plate of every burst that folders hold.
///
/// What is there already, from the same files with the same options, is not made again; runs into one folder, on one machine
/// or on many, share the work. Nothing but these plates is written over.
/// - Parameters:
///   - paths: folders, which are searched to any depth, and files.
///   - output: the plates' folder; made if missing.
///   - options: how bursts are found, and how plates are made, named and written.
///   - onEvent: is told from any task what happens.
/// - Throws: `BurstError`, also where there is no picture at all; `OptionError` when photos with a video are wanted of an operator
///   that cannot make them; `FileError` when the folder cannot be written; `AllocationError`; `CancellationError`. What keeps one
///   burst from becoming a plate is its outcome.
public func makePlates(
  of paths: [FilePath], into output: FilePath, options: BatchOptions,
  onEvent: @escaping @Sendable (BatchEvent) -> Void = { _ in }
) async throws -> BatchResult {
  let folder = BatchFolder(path: output)
  if !options.isDryRun { try folder.make() }
  let making = BatchMaking(options.plate, motion: options.usesMotion ? try options.plate.forMotion() : nil)
  let found = try await folder.find(paths, options.search, keeps: !options.isDryRun) {
    onEvent(.searching(done: $0, of: $1))
  }
  let own = folder.plan(found.groups.filter(making.takes), options.template).enumerated().filter {
    index, _ in
    options.shard.map { index % $0.count == $0.number - 1 } ?? true
  }.map(\.element)
  let planned = own.filter { $0.burst.hasSettled(for: options.settling) }
  onEvent(.found(found, plates: planned.count, frames: planned.reduce(0) { $0 + $1.burst.shots.count }))
  let batch = Batch(folder: folder, planned: planned, making: making, options: options, tell: onEvent)
  let outcomes = try await batch.run()
  if !options.isDryRun { try folder.writeSummary() }
  // Where somebody waits for pictures, none is no mistake.
  if found.groups.isEmpty, options.settling == nil, let first = paths.first {
    throw BurstError.noPictures(folder: first, folders: 0)
  }
  return BatchResult(
    outcomes: outcomes.map { ($0.planned.name, $0.planned.burst, $0.outcome) }, arriving: own.count - planned.count)
}

extension PictureGroup {
  /// Whether nothing has happened to its files for so many seconds.
  fileprivate func hasSettled(for seconds: Double?) -> Bool {
    guard let seconds else { return true }
    let newest = files.compactMap { try? FileStamp($0).changed }.max() ?? 0
    return Date().timeIntervalSince1970 - Double(newest) / 1e9 > seconds
  }
}

/// The bursts of a run.
private struct Batch: Sendable {
  let folder: BatchFolder
  let planned: [PlannedPlate]
  let job: BatchJob
  let isDryRun: Bool
  let admission: Admission
  let tell: @Sendable (BatchEvent) -> Void

  /// In all.
  private let threads: Int
  /// Bursts that are under way at once: one a thread, as far as memory goes, since threads that work on one burst wait for
  /// each other several times.
  private let lanes: Int

  init(
    folder: BatchFolder, planned: [PlannedPlate], making: BatchMaking, options: BatchOptions,
    tell: @escaping @Sendable (BatchEvent) -> Void
  ) {
    (self.folder, self.planned, isDryRun, self.tell) = (folder, planned, options.isDryRun, tell)
    threads = options.plate.threads
    let limit = options.plate.memory ?? Admission.available
    let largest = planned.map(\.burst.neededBytes).max() ?? 1
    lanes = max(min(threads, limit / max(largest, 1)), 1)
    job = BatchJob(
      folder: folder, template: options.template, making: making, encoding: options.encoding,
      resources: RunResources(sharedBy: options.plate))
    admission = Admission(limit: limit)
  }

  /// A burst, with the name that it has in the end, and what became of it.
  typealias Finished = (planned: PlannedPlate, outcome: BatchOutcome)

  func run() async throws -> [Finished] {
    var outcomes = try await mapIndices(count: planned.count, threads: lanes) {
      try await outcome(of: planned[$0], threads: threads(of: $0))
    }
    // What others had begun is waited for, and made where they have gone.
    while outcomes.contains(where: { $0 == nil }) {
      try await Task.sleep(for: .milliseconds(500))
      for index in outcomes.indices where outcomes[index] == nil {
        outcomes[index] = try await outcome(of: planned[index], threads: threads)
      }
    }
    return outcomes.compactMap(\.self)
  }

  /// Nil for a burst that another run is making.
  private func outcome(of planned: PlannedPlate, threads: Int) async throws -> Finished? {
    if let before = job.outcomeBefore(planned) { return finish(planned, before) }
    if isDryRun { return finish(planned, .planned) }
    let bytes = planned.burst.neededBytes
    await admission.enter(bytes)
    do {
      let outcome = try await made(planned, threads: threads)
      await admission.leave(bytes)
      return outcome
    } catch {
      await admission.leave(bytes)
      throw error
    }
  }

  /// Threads that work on one of the bursts: the last ones share all.
  private func threads(of index: Int) -> Int {
    let company = min(lanes, planned.count - index)
    return (threads + company - 1) / company
  }

  private func made(_ planned: PlannedPlate, threads: Int) async throws -> Finished? {
    let components = FilePath(text: planned.name).components
    guard let name = components.last else { return nil }
    let length = FilePath(root: nil, [name]).length
    guard length <= BatchFolder.longestName else {
      return finish(
        planned,
        .refused(
          "Its name would be \(length) bytes long, of \(BatchFolder.longestName) that it may be. Choose a shorter one.")
      )
    }
    guard let claim = try Claim.take(name, in: folder.claims) else { return nil }
    defer { claim.release() }
    // Names are given before they are claimed: another run, with other bursts, may have been quicker.
    if folder.hasLostName(planned) {
      let names = Set(self.planned.map(\.name))
      return try await made(folder.renamed(planned, job.template, besides: names), threads: threads)
    }
    // Somebody may have made it before the claim was free.
    if job.outcomeBefore(planned) != nil { return finish(planned, .elsewhere) }
    let outcome = try await job.run(planned, threads: threads) { tell(.burst(plate: planned.name, $0)) }
    return finish(planned, outcome)
  }

  private func finish(_ planned: PlannedPlate, _ outcome: BatchOutcome) -> Finished {
    tell(.finished(plate: planned.name, planned.burst, outcome))
    return (planned, outcome)
  }
}
