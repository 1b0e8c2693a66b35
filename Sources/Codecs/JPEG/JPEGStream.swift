import CTurboJPEG

/// A JPEG file as TurboJPEG wrote it.
final class JPEGStream: @unchecked Sendable {
  // Nobody writes to them, so that threads may share them.
  let bytes: UnsafeBufferPointer<UInt8>

  /// - Parameter start: memory of TurboJPEG's, which the stream frees.
  init(taking start: UnsafeMutablePointer<UInt8>, count: Int) {
    bytes = UnsafeBufferPointer(start: start, count: count)
  }

  deinit { tjFree(UnsafeMutablePointer(mutating: bytes.baseAddress)) }

  /// The file with marker segments put in.
  func inserting(_ segments: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + segments.count)
    let opening = bytes.openingCount
    result.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<opening]))
    result.append(contentsOf: segments)
    result.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[opening...]))
    return result
  }

  /// One file out of bands, with restart markers between their scans (ITU-T T.81, B.2.1).
  /// - Parameters:
  ///   - bands: from top to bottom, at least one.
  ///   - height: of the whole picture, 1...65 535.
  ///   - restartInterval: MCUs of every band but the last, 1...65 535.
  ///   - segments: marker segments to be put in.
  /// - Returns: nil where bands do not fit together: they are not sequential, have restart markers of their own, or
  ///   differ in their tables. So TurboJPEG writes them when its environment variables (`TJ_OPTIMIZE` and others) say.
  static func joining(
    _ bands: [JPEGStream], height: Int, restartInterval: Int, inserting segments: [UInt8] = []
  ) -> [UInt8]? {
    var scans: [UnsafeBufferPointer<UInt8>] = []
    guard let head = JPEGHead(bands[0].bytes) else { return nil }
    for band in bands {
      guard let own = JPEGHead(band.bytes), own.isAlike(head) else { return nil }
      scans.append(own.scan)
    }
    var result: [UInt8] = []
    result.reserveCapacity(scans.reduce(head.bytes.count + segments.count + 8) { $0 + $1.count + 2 })
    result.append(contentsOf: head.bytes[..<head.bytes.openingCount])
    result.append(contentsOf: segments)
    result.append(contentsOf: head.bytes[head.bytes.openingCount..<head.height])
    result.append(contentsOf: height.bigEndian16)
    result.append(contentsOf: head.bytes[(head.height + 2)..<head.scanHeader])
    result.append(contentsOf: [0xFF, 0xDD, 0, 4] + restartInterval.bigEndian16)
    result.append(contentsOf: head.bytes[head.scanHeader...])
    for (index, scan) in scans.enumerated() {
      result.append(contentsOf: scan)
      result.append(contentsOf: [0xFF, index == scans.count - 1 ? 0xD9 : 0xD0 + UInt8(index % 8)])
    }
    // The scans are views.
    return withExtendedLifetime(bands) { result }
  }
}

/// Where the parts lie of a file whose one scan holds all components in sequential mode with Huffman coding.
private struct JPEGHead {
  /// All before the scan's data.
  let bytes: UnsafeBufferPointer<UInt8>
  /// Where the picture's height stands, in two bytes.
  let height: Int
  /// Where the scan's header begins.
  let scanHeader: Int
  /// The entropy-coded data, without the marker that ends them.
  let scan: UnsafeBufferPointer<UInt8>

  /// - Returns: nil for a file of another kind, or with restart markers.
  init?(_ file: UnsafeBufferPointer<UInt8>) {
    var (position, height, componentCount) = (2, Int?.none, UInt8(0))
    while position + 10 <= file.count, file[position] == 0xFF {
      let next = position + 2 + file.integer16(at: position + 2)
      switch file[position + 1] {
      case 0xC0:
        height = position + 5
        componentCount = file[position + 9]
      case 0xDB, 0xC4, 0xE0...0xEF, 0xFE: break
      case 0xDA:
        let end = file.count - 2
        guard let height, file[position + 4] == componentCount, next <= end, file.integer16(at: end) == 0xFFD9 else {
          return nil
        }
        bytes = UnsafeBufferPointer(rebasing: file[..<next])
        self.height = height
        scanHeader = position
        scan = UnsafeBufferPointer(rebasing: file[next..<end])
        return
      default: return nil
      }
      position = next
    }
    return nil
  }

  /// Whether a decoder would treat both scans alike: all is the same but the height.
  func isAlike(_ other: JPEGHead) -> Bool {
    height == other.height && bytes[..<height].elementsEqual(other.bytes[..<height])
      && bytes[(height + 2)...].elementsEqual(other.bytes[(height + 2)...])
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Bytes of SOI and of JFIF's segment, which must come first.
  fileprivate var openingCount: Int {
    count > 20 && self[2] == 0xFF && self[3] == 0xE0 ? 4 + integer16(at: 4) : 2
  }

  fileprivate func integer16(at position: Int) -> Int { Int(self[position]) << 8 | Int(self[position + 1]) }
}

extension Int {
  fileprivate var bigEndian16: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
