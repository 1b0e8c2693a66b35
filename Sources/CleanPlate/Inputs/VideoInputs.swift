public import Codecs
import Frames
public import SystemPackage

/// Whether a file holds video, told by its first bytes.
public func isVideo(_ path: FilePath) -> Bool {
  guard let head = try? readHead(path) else { return false }
  return ImageFormat.sniff(head) == nil && VideoFormat.sniff(head) != nil
}

/// Frames of a video file, as inputs of a burst.
/// - Parameters:
///   - path: the file.
///   - choice: which frames to take.
///   - memory: bytes that decoded planes may hold in memory, as in `Options`.
///   - acceptsDamaged: whether what a damaged video still shows is taken, as in `Options`.
///   - onEvent: is told how far reading has come.
/// - Throws: `CodecError`, `CodecError.programMissing` when `ffmpeg` is needed and not installed; `FileError`.
public func videoInputs(
  _ path: FilePath, choice: FrameChoice, memory: Int? = nil, acceptsDamaged: Bool = false,
  onEvent: (Event) -> Void = { _ in }
) throws -> [Input] {
  let options = videoOptions(memory, acceptsDamaged)
  guard VideoFormat.sniff(try readHead(path)) == .y4m else {
    return try inputs(FFmpegReader(path: path, options: options), choice, onEvent)
  }
  let file = try openFile(path)
  return try file.closeAfter {
    try inputs(Y4MReader(descriptor: file.rawValue, name: path.text, options: options), choice, onEvent)
  }
}

/// Frames of uncompressed video (YUV4MPEG2) from a stream, as inputs of a burst.
/// - Parameters:
///   - descriptor: open for reading; it is read to its end and stays open.
///   - name: what messages call it.
///   - choice: which frames to take.
///   - memory: bytes that decoded planes may hold in memory, as in `Options`.
///   - acceptsDamaged: whether what a damaged video still shows is taken, as in `Options`.
///   - onEvent: is told how far reading has come.
/// - Throws: `CodecError`, `CancellationError`.
public func streamInputs(
  descriptor: Int32, name: String, choice: FrameChoice, memory: Int? = nil, acceptsDamaged: Bool = false,
  onEvent: (Event) -> Void = { _ in }
) throws -> [Input] {
  let reader: Y4MReader
  do {
    reader = try Y4MReader(descriptor: descriptor, name: name, options: videoOptions(memory, acceptsDamaged))
  } catch CodecError.unrecognized {
    let what = "a stream that is no Y4M; 'ffmpeg -i VIDEO -f yuv4mpegpipe -' writes one"
    throw CodecError.unsupported(name: name, what: what)
  }
  return try inputs(reader, choice, onEvent)
}

func inputs(_ source: any FrameSource, _ choice: FrameChoice, _ onEvent: (Event) -> Void) throws -> [Input] {
  do {
    onEvent(.started(.extract))
    let start = ContinuousClock.now
    let total = source.expectedCount ?? 0
    let frames = try chooseFrames(
      from: source, choice,
      progress: { done in
        onEvent(.progress(.extract, done: done, total: total == 0 ? 0 : max(done, total)))
      })
    onEvent(.finished(.extract, seconds: (ContinuousClock.now - start) / .seconds(1)))
    return frames.map { .frame($0) }
  } catch {
    // Reading ends early in a task that is cancelled.
    try Task.checkCancellation()
    throw error
  }
}

func videoOptions(_ memory: Int?, _ acceptsDamaged: Bool) -> DecodeOptions {
  DecodeOptions(
    acceptsDamaged: acceptsDamaged, budget: memory.map { MemoryBudget(limit: $0, spillFolder: temporaryFolder) })
}
