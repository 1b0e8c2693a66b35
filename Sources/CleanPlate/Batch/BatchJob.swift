import Codecs
import Frames
import SystemPackage

/// What became of a burst.
public enum BatchOutcome: Sendable, Equatable {
  /// Its plate was made.
  case made(size: Size, frames: Int, leftOut: Int)
  /// Its plate, or its refusal, was there already.
  case done
  /// Another run has made it, or is making it.
  case elsewhere
  /// There is no plate; why, in a sentence.
  case refused(String)
  /// It would be made.
  case planned
}

/// Making one plate of a batch.
struct BatchJob: Sendable {
  let folder: BatchFolder
  let template: NameTemplate
  let making: BatchMaking
  let encoding: EncodeOptions
  let resources: RunResources

  private func recipe(_ burst: PictureGroup) -> BatchRecipe { BatchRecipe(making.options(for: burst), encoding) }

  /// What an earlier run has left to say; nil when there is work to do.
  func outcomeBefore(_ planned: PlannedPlate) -> BatchOutcome? {
    guard let entry = folder.entry(of: planned.name), isCurrent(entry, planned) else { return nil }
    if let refusal = entry.refusal { return .refused(refusal) }
    guard let digest = folder.digestOfPlate(planned.name) else { return nil }
    // A plate that somebody has worked on since stays as it is.
    return digest == entry.digest || !entry.ownDigests.contains(digest) ? .done : nil
  }

  private func isCurrent(_ entry: BatchEntry, _ planned: PlannedPlate) -> Bool {
    guard let files = try? BatchSource(planned.burst).files else { return false }
    return entry.version == 1 && entry.program == programVersion && entry.recipe == recipe(planned.burst)
      && entry.inputs.count == files.count && zip(entry.inputs, files).allSatisfy { $0.isSame(as: $1) }
  }

  /// Makes the plate.
  ///
  /// The entry comes first, then the plate: whatever ends the program in between, a plate without an entry is not its own.
  /// - Throws: what concerns more than this burst: `FileError` when the folder cannot be written, `AllocationError`,
  ///   `CancellationError`.
  func run(
    _ planned: PlannedPlate, threads: Int, onEvent: @escaping @Sendable (Event) -> Void
  ) async throws -> BatchOutcome {
    let before = folder.entry(of: planned.name)
    if folder.isTaken(planned.name), before == nil || folder.holdsPlate(planned.name) {
      let digest = folder.digestOfPlate(planned.name)
      guard let digest, before?.ownDigests.contains(digest) == true else {
        return .refused(
          "'\(folder.plate(planned.name).text)' was not made here, or changed since, and stays as it is. Move it.")
      }
    }
    var options = making.options(for: planned.burst)
    options.threads = threads
    let source: BatchSource
    let stamps: [FileStamp]
    do {
      source = try BatchSource(planned.burst)
      stamps = try source.files.map { try FileStamp($0) }
    } catch let error as any WordedError {
      return .refused(error.explanation { $0 }.text)
    }
    let files = source.files
    let result: Result<PlateResult, any Error>
    do {
      result = .success(
        try await makePlate(
          from: source.inputs(budget: resources.budget(beside: 0), onEvent: onEvent), options: options,
          sharing: resources,
          onEvent: onEvent))
    } catch let error as CancellationError {
      throw error
    } catch let error as AllocationError {
      throw error
    } catch {
      try Task.checkCancellation()
      result = .failure(error)
    }
    let digests = (try? result.get().report.frames.map(\.digest)) ?? []
    let inputs = zip(files, stamps).enumerated().compactMap { index, input -> BatchInput? in
      let known = digests.indices.contains(index) ? digests[index] : nil
      guard let digest = known ?? (try? readFile(input.0)).flatMap(sha256) else { return nil }
      return BatchInput(path: input.0.text, stamp: input.1, digest: digest)
    }
    guard inputs.count == files.count, (try? files.map { try FileStamp($0) }) == stamps else {
      return .refused("Its files changed while they were read. Run again when they are whole.")
    }
    var entry = BatchEntry(
      plate: planned.name, template: template, identity: planned.identity, recipe: recipe(planned.burst),
      inputs: inputs,
      earlier: Array((before?.ownDigests ?? []).sorted().suffix(16)))
    switch result {
    case .failure(let error):
      let words = (error as? any WordedError)?.explanation { $0 }.text ?? "\(error)"
      entry.refusal = words
      try folder.write(entry)
      return .refused(words)
    case .success(let made):
      var encoding = encoding
      encoding.history = made.report.history
      let bytes = try encode(made.plate, options: encoding)
      entry.digest = sha256(bytes)
      entry.report = made.report
      try folder.write(entry)
      try writeAtomically(bytes, to: folder.plate(planned.name))
      let used = made.report.frames.count(where: \.accepted)
      return .made(
        size: Size(width: made.report.crop.width, height: made.report.crop.height), frames: used,
        leftOut: made.report.frames.count - used)
    }
  }
}
