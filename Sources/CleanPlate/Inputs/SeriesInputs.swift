public import Codecs
import Frames
public import SystemPackage

/// The pictures of one size in a picture file, as inputs of a burst; nil for a file that holds one.
///
/// Animations and image sequences are frames in time and chosen as those of a video are. Pages of a TIFF and pictures of a
/// HEIF collection have no time, so that `choice.every` does not bear on them; `choice.maximum` takes evenly spread
/// ones.
/// - Parameters:
///   - path: the file.
///   - choice: which pictures to take.
///   - memory: bytes that decoded planes may hold in memory, as in `Options`.
///   - acceptsDamaged: whether what a damaged file still shows is taken, as in `Options`.
///   - onEvent: is told how far reading has come.
/// - Throws: `CodecError`, `CodecError.programMissing` when `ffmpeg` is needed and not installed; `FileError`.
public func seriesInputs(
  _ path: FilePath, choice: FrameChoice, memory: Int? = nil, acceptsDamaged: Bool = false,
  onEvent: (Event) -> Void = { _ in }
) throws -> [Input]? {
  let bytes = try readFile(path)
  let options = videoOptions(memory, acceptsDamaged)
  switch try PictureSeries.find(in: bytes, name: path.text, options: options) {
  case nil: return nil
  case .pictures(let count):
    let taken = min(count, choice.maximum ?? count)
    return (0..<taken).map { .picture($0 * count / taken, of: bytes, path: path) }
  case .animation: return try inputs(WebPAnimation(bytes, name: path.text, options: options), choice, onEvent)
  case .track: return try inputs(FFmpegReader(path: path, options: options), choice, onEvent)
  }
}
