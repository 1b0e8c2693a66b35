import Codecs
import Foundation
import Frames
import Registration
import SystemPackage

/// The frames of a burst, and for those that cannot be used the reason.
struct Burst: Sendable {
  /// What is known of one input.
  struct Entry: Sendable {
    let name: String
    let content: Result<Content, Rejection>

    var frame: Frame? { try? content.get().frame }
    var digest: String? { try? content.get().digest }
    /// Why the frame cannot be used; meaningful where there is none.
    var rejection: Rejection {
      if case .failure(let reason) = content { reason } else { .differentEncoding }
    }
  }

  /// A frame, and what registration needs of it.
  struct Content: Sendable {
    let frame: Frame
    /// Of the file's bytes, in hexadecimal digits; nil for frames that came without a file, and
    /// where nobody asked for it.
    let digest: String?
    let description: FrameDescription
    /// Where it lies on the reference, where that was found out already.
    let placed: PlacedFrame?
    /// Where it lies on the burst's origin, likewise.
    let pose: Pose?
  }

  let entries: [Entry]
  /// What frames were placed on as they came in.
  let early: Reference?
  /// The poses' origin.
  let origin: Int?
  /// Indices of all entries in the order in which they were taken, by which neighbours in time are told.
  let order: [Int]
  /// Bounds the memory of the frames and of what they are converted to.
  let budget: MemoryBudget?

  /// Indices of the frames that could be read, in the order in which they were taken.
  var usable: [Int] { order.filter { entries[$0].frame != nil } }

  /// The frames that could not even be read.
  var leftOut: [PlateError.LeftOut] {
    entries.enumerated().compactMap { index, entry in
      guard case .failure(let reason) = entry.content else { return nil }
      return PlateError.LeftOut(index: index, name: entry.name, reason: reason)
    }
  }
}

/// Decodes and describes the best picture of every shot, as many at once as `options.threads` says, and finds out where
/// they lie as far as that can be told beforehand.
func readBurst(
  _ inputs: [Input], _ options: Options, _ resources: RunResources, _ clock: StageClock
) async throws -> Burst {
  let budget = resources.budget(beside: inputs.reduce(0) { $0 + $1.residentByteCount })
  let shots = try await Shots(inputs, options)
  let best = shots.best
  let decoding = DecodeOptions(
    acceptsDamaged: options.acceptsDamaged, budget: budget, rawWhiteBalance: burstWhiteBalance(best.map { inputs[$0] }))
  let done = Counter()
  let registrar = Registrar(model: options.align, mesh: options.mesh)
  let early = EarlyRegistration(inputs, best, options, registrar: registrar)
  let poses = early == nil ? EarlyPoses(best, options, registrar: registrar) : nil
  // What others are placed on comes first, so that they can be placed as they come in.
  let first = early?.index ?? poses?.origin
  let describe: @Sendable (Picture, Int) async throws -> Burst.Content = { picture, index in
    let frame = picture.frame
    let description = try registrar.describe(frame, keepingPyramid: budget == nil)
    poses?.receive(description, index: index)
    let content = Burst.Content(
      frame: frame, digest: picture.digest, description: description,
      placed: try await early?.receive(description, frame, index: index, clock),
      pose: try poses?.pose(of: description, index: index))
    frame.discardResidentSamples()
    return content
  }
  // What is to be placed or may leave memory is described at once; all else when no frame is left to be decoded, as a
  // filler for tasks that would wait for the last of them.
  let describesAtOnce = early != nil || budget != nil
  var contents: [Int: Result<Burst.Content, Rejection>] = [:]
  var wanted = best.filter { $0 == first } + best.filter { $0 != first }
  while !wanted.isEmpty {
    let taken = wanted
    let total = contents.count + taken.count
    let results = try await mapIndices(count: taken.count, threads: options.threads) { position in
      let index = taken[position]
      let input = inputs[index]
      let incoming: Incoming
      do {
        let picture = try read(input, decoding, digests: options.digests)
        clock.tell(.decoded(index: index, name: input.name, size: picture.frame.size))
        incoming = describesAtOnce ? .described(try await describe(picture, index)) : .decoded(picture)
      } catch let reason as Rejection {
        incoming = .refused(reason)
        clock.tell(.rejected(index: index, name: input.name, reason: reason))
      }
      clock.tell(.progress(.decode, done: done.increment(), total: total))
      return incoming
    } then: { position, incoming -> Result<Burst.Content, Rejection> in
      switch incoming {
      case .decoded(let picture): .success(try await describe(picture, taken[position]))
      case .described(let content): .success(content)
      case .refused(let reason): .failure(reason)
      }
    }
    contents.merge(zip(taken, results)) { $1 }
    wanted = shots.substitutes(for: zip(taken, results).filter { (try? $1.get()) == nil }.map { $0.0 })
  }
  let readable = Set(contents.filter { (try? $0.value.get()) != nil }.keys)
  let entries = inputs.indices.map { index in
    let name = inputs[index].name
    if let content = contents[index] { return Burst.Entry(name: name, content: content) }
    let twin = shots.taken(insteadOf: index, among: readable)
    let reason = twin.map { Rejection.sameShot(as: inputs[$0].name) } ?? .plate
    clock.tell(.rejected(index: index, name: name, reason: reason))
    return Burst.Entry(name: name, content: .failure(reason))
  }
  for loss in Loss.allCases {
    let names = entries.filter { $0.frame?.metadata.lost.contains(loss) == true }.map(\.name)
    if !names.isEmpty { clock.tell(.lost(loss, names: names)) }
  }
  return Burst(
    entries: entries, early: early?.reference, origin: poses?.origin, order: shots.order, budget: budget)
}

/// A decoded input.
private struct Picture: Sendable {
  var frame: Frame
  /// See `Burst.Content.digest`.
  var digest: String?
}

/// How far an input has come.
private enum Incoming: Sendable {
  case decoded(Picture)
  case described(Burst.Content)
  case refused(Rejection)
}

/// The white balance of the first RAW file, which then holds for all: cameras choose anew for every shot.
private func burstWhiteBalance(_ inputs: [Input]) -> RAWWhiteBalance? {
  for input in inputs {
    let balance: RAWWhiteBalance?
    switch input {
    case .frame, .picture: continue
    case .bytes(let bytes, let name): balance = try? rawWhiteBalance(of: bytes, name: name)
    case .file(let path):
      // Only what may be a RAW file is read twice.
      guard let head = try? readHead(path), ![.jpeg, .png].contains(ImageFormat.sniff(head)) else { continue }
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

/// - Throws: `Rejection`; `AllocationError` when temporary space ran out, which is no frame's fault.
private func read(_ input: Input, _ options: DecodeOptions, digests: Bool) throws -> Picture {
  func digest(_ bytes: [UInt8]) -> String? { digests ? sha256(bytes) : nil }
  do {
    switch input {
    case .frame(let frame): return Picture(frame: frame)
    case .bytes(let bytes, let name):
      return Picture(frame: try decode(bytes, name: name, options: options), digest: digest(bytes))
    case .picture(let index, let bytes, _):
      return Picture(
        frame: try decode(bytes, name: input.name, picture: index, options: options), digest: digest(bytes))
    case .file(let path):
      let bytes = try readFile(path)
      return Picture(frame: try decode(bytes, name: path.text, options: options), digest: digest(bytes))
    }
  } catch let error as CodecError {
    if case .allocation(_, let failure) = error, case .spillFailed = failure { throw failure }
    throw Rejection.unreadable(reason: error.words)
  } catch let error as FileError {
    throw Rejection.unreadable(reason: error.words)
  }
}
