import Codecs
import Foundation
import Frames
import Registration
import SystemPackage

/// Decodes and describes the best picture of every shot, as many at once as `options.threads` says, and finds out where
/// they lie as far as that can be told beforehand.
func readBurst(
  _ inputs: [Input], _ options: Options, _ resources: RunResources, _ monitor: RunMonitor
) async throws -> Burst {
  let budget = resources.budget(beside: inputs.reduce(0) { $0 + $1.residentByteCount })
  let shots = try await Shots(inputs, options)
  let best = shots.best.map(BurstIndex.init(rawValue:))
  let registrar = Registrar(options)
  let reader = BurstReader(
    inputs: inputs,
    decoding: DecodeOptions(
      acceptsDamaged: options.acceptsDamaged, budget: budget,
      rawWhiteBalance: burstWhiteBalance(shots.best.filter(shots.mayBeRAW.contains).map { inputs[$0] })),
    digests: options.digests, registrar: registrar, places: EarlyPlaces(inputs, best, options, registrar),
    monitor: monitor)
  var outcomes: [BurstIndex: FrameOutcome<Burst.Content>] = [:]
  // What others are placed on comes first, so that they can be placed as they come in.
  var wanted = best.filter { $0 == reader.places?.anchor } + best.filter { $0 != reader.places?.anchor }
  while !wanted.isEmpty {
    let read = try await reader.read(wanted, after: outcomes.count, threads: options.threads)
    outcomes.merge(zip(wanted, read)) { $1 }
    let failed = zip(wanted, read).filter { !$1.isAccepted }.map(\.0.rawValue)
    wanted = shots.substitutes(for: failed).map(BurstIndex.init(rawValue:))
  }
  let readable = Set(outcomes.filter { $0.value.isAccepted }.keys.map(\.rawValue))
  let entries = inputs.indices.map { index in
    let name = inputs[index].name
    if let outcome = outcomes[BurstIndex(rawValue: index)] { return Burst.Entry(name: name, outcome: outcome) }
    let twin = shots.taken(insteadOf: index, among: readable)
    let reason = twin.map { Rejection.sameShot(as: inputs[$0].name) } ?? .plate
    monitor.tell(.rejected(index: index, name: name, reason: reason))
    return Burst.Entry(name: name, outcome: .rejected(reason))
  }
  for loss in Loss.allCases {
    let names = entries.filter { $0.frame?.metadata.lost.contains(loss) == true }.map(\.name)
    if !names.isEmpty { monitor.tell(.lost(loss, names: names)) }
  }
  return try await Burst(
    entries: entries, base: reader.places?.base, order: shots.order.map(BurstIndex.init(rawValue:)), budget: budget
  ).withoutUnusedBits(registrar, threads: options.threads)
}

/// The steps by which an input becomes a frame of a burst: `decode`, `describe`, `place`.
private struct BurstReader: Sendable {
  let inputs: [Input]
  let decoding: DecodeOptions
  let digests: Bool
  let registrar: Registrar
  let places: EarlyPlaces?
  let monitor: RunMonitor
  private let done = Counter()

  init(
    inputs: [Input], decoding: DecodeOptions, digests: Bool, registrar: Registrar, places: EarlyPlaces?,
    monitor: RunMonitor
  ) {
    self.inputs = inputs
    self.decoding = decoding
    self.digests = digests
    self.registrar = registrar
    self.places = places
    self.monitor = monitor
  }

  /// How far an input has come.
  private enum Progress: Sendable {
    case decoded(Picture)
    case described(Burst.Content)
  }

  /// What others are placed on, or may leave memory, is described at once; all else when no frame is left to be decoded,
  /// as a filler for tasks that would wait for the last of them.
  private var describesAtOnce: Bool { places?.isRefining == true || decoding.budget != nil }

  /// Takes all steps for some of the inputs.
  /// - Parameter count: inputs that were read before.
  func read(
    _ wanted: [BurstIndex], after count: Int, threads: Int
  ) async throws -> [FrameOutcome<Burst.Content>] {
    try await mapIndices(count: wanted.count, threads: threads) { position -> FrameOutcome<Progress> in
      let index = wanted[position]
      let outcome: FrameOutcome<Progress>
      switch try decode(index) {
      case .accepted(let picture) where describesAtOnce:
        outcome = .accepted(.described(try await describe(picture, index)))
      case .accepted(let picture): outcome = .accepted(.decoded(picture))
      case .rejected(let reason, _): outcome = .rejected(reason)
      }
      monitor.tell(.progress(.decode, done: done.increment(), total: count + wanted.count))
      return outcome
    } then: { position, outcome in
      switch outcome {
      case .accepted(.decoded(let picture)): .accepted(try await describe(picture, wanted[position]))
      case .accepted(.described(let content)): .accepted(content)
      case .rejected(let reason, _): .rejected(reason)
      }
    }
  }

  /// - Throws: `AllocationError` when temporary space ran out, which is no frame's fault.
  private func decode(_ index: BurstIndex) throws -> FrameOutcome<Picture> {
    let input = inputs[index.rawValue]
    let outcome = try Picture.decoded(from: input, decoding, digests: digests)
    switch outcome {
    case .accepted(let picture):
      monitor.tell(.decoded(index: index.rawValue, name: input.name, size: picture.frame.size))
    case .rejected(let reason, _): monitor.tell(.rejected(index: index.rawValue, name: input.name, reason: reason))
    }
    return outcome
  }

  private func describe(_ picture: Picture, _ index: BurstIndex) async throws -> Burst.Content {
    let description = try registrar.describe(picture.frame, keepingPyramid: decoding.budget == nil)
    let frame = DescribedFrame(index: index, frame: picture.frame, description: description)
    let early = try await places?.place(frame, monitor)
    defer { picture.frame.discardResidentSamples() }
    return Burst.Content(frame: picture.frame, digest: picture.digest, description: description, early: early)
  }
}

/// A decoded input.
private struct Picture: Sendable {
  let frame: Frame
  /// See `Burst.Content.digest`.
  let digest: String?

  /// - Throws: `AllocationError` when temporary space ran out.
  static func decoded(
    from input: Input, _ options: DecodeOptions, digests: Bool
  ) throws -> FrameOutcome<Picture> {
    func picture(_ frame: Frame, _ bytes: [UInt8]) -> FrameOutcome<Picture> {
      .accepted(Picture(frame: frame, digest: digests ? sha256(bytes) : nil))
    }
    do {
      switch input {
      case .frame(let frame): return frame.checked.map { Picture(frame: $0, digest: nil) }
      case .bytes(let bytes, let name): return picture(try decode(bytes, name: name, options: options), bytes)
      case .picture(let index, let bytes, _):
        return picture(try decode(bytes, name: input.name, picture: index, options: options), bytes)
      case .file(let path):
        let bytes = try readFile(path)
        return picture(try decode(bytes, name: path.text, options: options), bytes)
      }
    } catch let error as CodecError {
      if case .allocation(_, let failure) = error, case .spillFailed = failure { throw failure }
      return .rejected(.unreadable(reason: error.words))
    } catch let error as FileError {
      return .rejected(.unreadable(reason: error.words))
    }
  }
}

/// The white balance of the first RAW file among some, which then holds for all: cameras choose anew for every shot.
private func burstWhiteBalance(_ inputs: [Input]) -> RAWWhiteBalance? {
  for input in inputs {
    let balance: RAWWhiteBalance?
    switch input {
    case .frame, .picture: continue
    case .bytes(let bytes, let name): balance = try? rawWhiteBalance(of: bytes, name: name)
    case .file(let path):
      balance = (try? readFile(path)).flatMap { try? rawWhiteBalance(of: $0, name: path.text) }
    }
    if let balance { return balance }
  }
  return nil
}

extension Input {
  /// Bytes of memory that its planes hold already.
  fileprivate var residentByteCount: Int {
    guard case .frame(let frame) = self else { return 0 }
    return frame.planes.reduce(0) { $0 + ($1.isSpilled ? 0 : $1.byteCount) }
  }
}

/// Where planes past the memory budget go.
let temporaryFolder = environmentPath("TMPDIR") ?? "/var/tmp"
