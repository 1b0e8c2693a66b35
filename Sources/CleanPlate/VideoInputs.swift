public import Codecs
import Foundation
import Frames

/// Whether a file holds video, told by its first bytes.
public func isVideo(_ path: String) -> Bool {
  guard let head = try? readHead(path) else { return false }
  return ImageFormat.sniff(head) == nil && VideoFormat.sniff(head) != nil
}

/// Frames of a video file, as inputs of a burst.
/// - Parameters:
///   - choice: which frames to take.
///   - memory: bytes that decoded planes may hold in memory, as in `Options`.
/// - Throws: `CodecError`, `CodecError.programMissing` when `ffmpeg` is needed and not installed; `FileError`.
public func videoInputs(_ path: String, choice: FrameChoice, memory: Int? = nil) throws -> [Input] {
  let options = videoOptions(memory)
  guard VideoFormat.sniff(try readHead(path)) == .y4m else {
    return try inputs(FFmpegReader(path: path, options: options), choice)
  }
  guard let file = FileHandle(forReadingAtPath: path) else { throw FileError.cannotRead(path: path, errno: errno) }
  defer { try? file.close() }
  return try inputs(Y4MReader(descriptor: file.fileDescriptor, name: path, options: options), choice)
}

/// Frames of uncompressed video (YUV4MPEG2) from a stream, as inputs of a burst.
/// - Parameter descriptor: open for reading; it is read to its end and stays open.
/// - Throws: `CodecError`.
public func streamInputs(descriptor: Int32, name: String, choice: FrameChoice, memory: Int? = nil) throws -> [Input] {
  try inputs(Y4MReader(descriptor: descriptor, name: name, options: videoOptions(memory)), choice)
}

func inputs(_ source: any FrameSource, _ choice: FrameChoice) throws -> [Input] {
  try chooseFrames(from: source, choice).map { .frame($0) }
}

func videoOptions(_ memory: Int?) -> DecodeOptions {
  DecodeOptions(budget: memory.map { MemoryBudget(limit: $0, spillFolder: temporaryFolder) })
}

/// The first bytes of a file, enough to tell its format.
func readHead(_ path: String, count: Int = ImageFormat.headLength) throws -> [UInt8] {
  guard let file = FileHandle(forReadingAtPath: path) else { throw FileError.cannotRead(path: path, errno: errno) }
  defer { try? file.close() }
  return [UInt8](try file.read(upToCount: count) ?? Data())
}
