package import Frames
import SystemPackage

/// Frames that come one after another.
package protocol FrameSource: AnyObject {
  /// In frames per second.
  var rate: Double { get }
  /// How many frames there are, where it is known beforehand.
  var expectedCount: Int? { get }
  /// The next frame, or nil after the last.
  func next() throws(CodecError) -> Frame?
}

/// Uncompressed video (YUV4MPEG2) from a file descriptor, frame by frame; planes as they are in the stream.
package final class Y4MReader: FrameSource {
  /// Frames a second.
  package let rate: Double
  /// Nil: a stream does not tell.
  package let expectedCount: Int? = nil
  /// Of every frame, in pixels.
  package var size: Size { header.size }

  private let header: Y4MHeader
  private let stream: ByteStream
  private let name: String
  private let options: DecodeOptions
  private let metadata: Metadata
  private var count = 0

  /// Reads the header.
  /// - Parameters:
  ///   - descriptor: open for reading; it stays the caller's, who closes it after the reader has gone.
  ///   - name: what messages call the stream.
  ///   - options: how frames are read.
  ///   - colours: what is known of them from elsewhere.
  ///   - metadata: what every frame carries.
  /// - Throws: `CodecError`.
  package init(
    descriptor: Int32, name: String, options: DecodeOptions = DecodeOptions(), colours: VideoColours = VideoColours(),
    metadata: Metadata = Metadata()
  ) throws(CodecError) {
    self.name = name
    self.options = options
    stream = ByteStream(descriptor: descriptor)
    guard try !stream.isAtEnd(name) else { throw .empty(name: name) }
    guard let line = try stream.line(name, limit: Y4MHeader.limit), line.hasPrefix(Y4MHeader.magic) else {
      throw .unrecognized(name: name)
    }
    do {
      header = try Y4MHeader(line, colours: colours)
    } catch {
      switch error {
      case .unsupported(let what): throw .unsupported(name: name, what: what)
      case .damaged(let detail): throw .damaged(name: name, detail: detail)
      }
    }
    rate = header.rate
    var metadata = metadata
    if !header.hasSquarePixels { metadata.lost.insert(.pixelAspect) }
    self.metadata = metadata
    guard options.limits.allow(header.size) else {
      throw .tooLarge(name: name, size: header.size, limit: options.limits)
    }
  }

  /// The next frame, named after the stream and its time; nil after the last.
  /// - Throws: `CodecError.damaged` when the stream ends within a frame.
  package func next() throws(CodecError) -> Frame? {
    guard try !stream.isAtEnd(name) else { return nil }
    guard let line = try stream.line(name, limit: Y4MHeader.limit), line == "FRAME" || line.hasPrefix("FRAME ") else {
      return try endOfDamaged("frame \(count) does not begin where it should")
    }
    var planes: [Plane] = []
    for grid in header.grids {
      guard let plane = try read(grid.planeSize(for: header.size)) else {
        return try endOfDamaged("it ends within frame \(count)")
      }
      planes.append(plane)
    }
    for _ in 0..<header.skippedPlanes where try read(header.size) == nil {
      return try endOfDamaged("it ends within frame \(count)")
    }
    defer { count += 1 }
    return Frame(
      planes: planes, grids: header.grids, encoding: header.encoding,
      name: "\(name) at \(Y4MReader.time(Double(count) / rate))", metadata: metadata)
  }

  private func endOfDamaged(_ detail: String) throws(CodecError) -> Frame? {
    guard options.acceptsDamaged else { throw .damaged(name: name, detail: detail) }
    return nil
  }

  private func read(_ size: Size) throws(CodecError) -> Plane? {
    let builder: PlaneBuilder
    do {
      builder = try PlaneBuilder(width: size.width, height: size.height, bits: header.bits, budget: options.budget)
    } catch {
      throw .allocation(name: name, error)
    }
    let rowBytes = size.width * (header.bits > 8 ? 2 : 1)
    let maximum = UInt16((1 << header.bits) - 1)
    // Rows that follow without gaps come in large pieces, straight to where they stay.
    let rowsAtOnce = builder.stride == rowBytes ? size.height : 1
    for y in stride(from: 0, to: size.height, by: rowsAtOnce) {
      let count = rowsAtOnce * rowBytes
      guard try stream.read(name, into: builder.base + y * builder.stride, count: count) == count else { return nil }
    }
    if header.bits > 8, header.bits < 16 {
      // Little-endian words; the bits above the depth are nobody's promise.
      for y in 0..<size.height {
        let row = builder.row(y, as: UInt16.self)
        for x in 0..<row.count { row[x] = min(UInt16(littleEndian: row[x]), maximum) }
      }
    }
    return builder.finish()
  }

  /// Seconds with two decimals.
  static func time(_ seconds: Double) -> String {
    let hundredths = Int((seconds * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
  }
}

extension ByteStream {
  // The same calls with errors that name the stream.

  fileprivate func isAtEnd(_ name: String) throws(CodecError) -> Bool {
    do { return try isAtEnd() } catch { throw broken(name, error) }
  }

  fileprivate func line(_ name: String, limit: Int) throws(CodecError) -> String? {
    do { return try line(limit: limit) } catch { throw broken(name, error) }
  }

  fileprivate func read(_ name: String, into target: UnsafeMutableRawPointer, count: Int) throws(CodecError) -> Int {
    do { return try read(into: target, count: count) } catch { throw broken(name, error) }
  }
}

private func broken(_ name: String, _ error: FileError) -> CodecError {
  guard case .cannotRead(_, let number) = error else { return .damaged(name: name, detail: "it cannot be read on") }
  return .damaged(name: name, detail: "it cannot be read on: \(Errno(rawValue: number))")
}
