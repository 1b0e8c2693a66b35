import Dispatch
import Foundation
import Frames
import SystemPackage

@testable import CleanPlate
@testable import Codecs
@testable import Selection

/// `--protect`'s picture.
func readMask(_ bytes: [UInt8]) {
  guard let frame = try? decode(bytes, name: "fuzz", options: DecodeOptions(limits: limits)) else { return }
  _ = PlaceMask(frame)
}

/// A report that is used instead of registering: a whole plate is made by what it says.
func readReport(_ bytes: [UInt8]) {
  guard let report = try? Report(json: bytes),
    let options = try? Options(combine: .median, threads: 1, alignment: report)
  else { return }
  _ = (report.history, try? report.json())
  let isDone = DispatchSemaphore(value: 0)
  Task {
    _ = try? await makePlate(from: frames.map { .frame($0) }, options: options)
    isDone.signal()
  }
  isDone.wait()
}

/// Two frames, `a` and `b`, which the seeds' reports speak of.
private let frames: [Frame] = ["a", "b"].compactMap { name in
  guard let plane = try? Plane(width: 64, height: 48, value: { x, y in (x * 37 + y * 91 + x * y) % 251 }) else {
    return nil
  }
  return Frame(planes: [plane], encoding: .grey(.full), name: name)
}

/// What `ffprobe` writes of a file.
func readProbe(_ bytes: [UInt8]) {
  guard let probe = VideoProbe(output: String(decoding: bytes, as: UTF8.self)) else { return }
  precondition(probe.rate.map { $0.isFinite && $0 > 0 } ?? true)
  precondition(probe.frames.map { $0 >= 0 } ?? true)
  // What was made of the tags must be read again.
  _ = probe.metadata.capture
}

/// Where a photo's video lies: the bytes as the photo's file, its XMP and Exif, and as the video beside it.
func findMotionVideo(_ bytes: [UInt8]) {
  bytes.withUnsafeBufferPointer { file in
    for xmp in [nil, bytes] {
      guard let video = AppendedVideo.find(in: file, xmp: xmp) else { continue }
      precondition(file.indices.contains(video.lowerBound) && video.upperBound <= file.count)
    }
    _ = AppleIdentifier.ofVideo(file)
  }
  _ = AppleIdentifier.ofPhoto(exif: bytes)
}

/// A detector's two files, divided by a zero: the network's layers, then what it learned.
///
/// Nothing but the pinned files may be taken unasked.
func readUnaskedNetwork(_ bytes: [UInt8]) {
  guard writeNetwork(bytes) else { return }
  // Nowhere else does the real one lie, either.
  for name in ["XDG_DATA_HOME", "XDG_DATA_DIRS"] {
    setenv(name, (folder as NSString).deletingLastPathComponent, 1)
  }
  let found = try? DetectorOption.auto.load()
  guard let found, found.loaded == nil, case .strangeDetector = found.event else {
    preconditionFailure("a strange network was taken, or nothing was said of it")
  }
}

/// The same when they were named.
func readNamedNetwork(_ bytes: [UInt8]) {
  let (config, weights) = networkFiles(bytes)
  _ = try? Detector(config: config, weights: weights)
}

/// A graph becomes layers, which are planned for a small picture.
func readGraph(_ bytes: [UInt8]) {
  guard let layers = try? GraphNetwork(FrozenGraph(bytes), outputs: ["out"], input: "in").layers else { return }
  _ = try? Network(layers, input: Volume(channels: 3, height: 16, width: 20))
}

/// And a model.
func readLiteModel(_ bytes: [UInt8]) {
  guard let layers = try? LiteNetwork(bytes).layers else { return }
  _ = try? Network(layers, input: Volume(channels: 3, height: 16, width: 32))
}

private func networkFiles(_ bytes: [UInt8]) -> (config: [UInt8], weights: [UInt8]) {
  let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  return (Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [])
}

private func writeNetwork(_ bytes: [UInt8]) -> Bool {
  let (config, weights) = networkFiles(bytes)
  let files = ["yolov3-tiny.cfg": config, "yolov3-tiny.weights": weights]
  return files.allSatisfy { name, contents in
    FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(contents))
  }
}

/// Removed with the process's other temporary files; `auto` looks into folders of this name.
private let folder: String = {
  let path = NSTemporaryDirectory() + "cleanplate-fuzz-\(getpid())/cleanplate"
  try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  return path
}()
