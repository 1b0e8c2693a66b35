import CTurboJPEG
import Codecs
import Foundation
import Frames
import SystemPackage

/// A file that TurboJPEG does not take.
struct CodecFailure: Error {
  let path: String
  let detail: String
}

/// What no program that reads these files and writes one can undercut: TurboJPEG decoding each of them to planes, on
/// `threads` threads, and encoding the first one's planes. Memory is taken once per thread, so that not even page
/// faults are counted.
func codecSeconds(of paths: [String], threads: Int, quality: Int32) async throws -> [String: Double] {
  let decode = try await measureTask {
    try await forEachIndex(count: paths.count, threads: threads, scratch: PlanarPicture.init) { index, picture in
      try picture.decode(paths[index])
    }
  }
  let plate = PlanarPicture()
  try plate.decode(paths[0])
  return ["decode": decode, "encode": try measure { try plate.encode(quality: quality) }]
}

/// TurboJPEG's handles and one picture's planes.
private final class PlanarPicture {
  private let decompressor = tjInitDecompress()
  private let compressor = tjInitCompress()
  private var planes: [UnsafeMutablePointer<UInt8>?] = []
  private var size = (width: Int32(0), height: Int32(0))
  private var subsampling = Int32(-1)

  deinit {
    tjDestroy(decompressor)
    tjDestroy(compressor)
    for plane in planes { plane?.deallocate() }
  }

  func decode(_ path: String) throws {
    let file = try readFile(FilePath(path))
    var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
    let count = UInt(file.count)
    guard tjDecompressHeader3(decompressor, file, count, &width, &height, &sampling, &space) == 0 else {
      throw failure(path, decompressor)
    }
    if (width, height) != size || sampling != subsampling {
      for plane in planes { plane?.deallocate() }
      size = (width, height)
      subsampling = sampling
      planes = (0..<(sampling == Int32(TJSAMP_GRAY.rawValue) ? 1 : 3)).map { component in
        .allocate(capacity: Int(tjPlaneSizeYUV(component, width, 0, height, sampling)))
      }
    }
    guard tjDecompressToYUVPlanes(decompressor, file, count, &planes, width, nil, height, 0) == 0 else {
      throw failure(path, decompressor)
    }
  }

  func encode(quality: Int32) throws {
    var output: UnsafeMutablePointer<UInt8>?
    var length = UInt(0)
    defer { tjFree(output) }
    var sources = planes.map { UnsafePointer($0) }
    let code = tjCompressFromYUVPlanes(
      compressor, &sources, size.width, nil, size.height, subsampling, &output, &length, quality, TJFLAG_ACCURATEDCT)
    guard code == 0 else { throw failure("the plate", compressor) }
  }

  private func failure(_ path: String, _ handle: tjhandle?) -> CodecFailure {
    CodecFailure(path: path, detail: String(cString: tjGetErrorStr2(handle)))
  }
}
