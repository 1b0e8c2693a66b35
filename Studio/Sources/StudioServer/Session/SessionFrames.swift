import CleanPlate
import Foundation

extension StudioSession {
  /// Takes a burst that lies in files.
  func open(_ paths: [FilePath]) async throws {
    let files = try BurstFiles(paths: paths)
    let choice = FrameChoice(every: nil, maximum: 20)
    for path in files.pictures {
      if isVideo(path) {
        try await take(framesOf: try videoInputs(path, choice: choice))
      } else if files.pictures.count == 1, let series = try seriesInputs(path, choice: choice) {
        try await take(framesOf: series)
      } else {
        take([Member(path: path)])
      }
    }
  }

  /// Takes a picture that was sent.
  /// - Returns: its place.
  func add(picture bytes: [UInt8], called name: String) throws -> Int {
    try checkRoom(frames: 1, bytes: bytes.count)
    let format: ImageFormat
    do {
      format = try readHeader(bytes, name: name, options: limits.decoding).format
    } catch {
      throw Refusal(.unprocessableContent, "\(name) cannot be used: \(error.words).", "Choose another picture.")
    }
    let path = newPath(format.suffix)
    try write(bytes, to: path)
    sentBytes += bytes.count
    take([Member(path: path, shownName: name)])
    return members.count - 1
  }

  /// Takes frames that lie in no file of their own, as those of a video. Each gets one, of which the plate is made: it is then the
  /// plate of the session that is kept, too, as R, G, B do not hold all that a video's planes do.
  /// - Parameter name: what the page calls a frame, by its place; by default as its input is called.
  func take(framesOf inputs: [Input], called name: ((Int) -> String)? = nil) async throws {
    try checkRoom(frames: inputs.count, bytes: 0)
    let waiting = inputs.map { _ in folder.appending("waiting_\(UUID().uuidString)") }
    defer { for path in waiting { try? FileManager.default.removeItem(atPath: path.string) } }
    let decoding = limits.decoding
    let (sizes, lost) = try await pool.run {
      try await withThrowingTaskGroup(of: (index: Int, size: Int, lost: Set<Loss>).self) { group in
        for (index, (input, path)) in zip(inputs, waiting).enumerated() {
          group.addTask {
            let frame = try input.decoded(decoding)
            let bytes = try encode(frame, options: EncodeOptions(format: .png, threads: 1))
            try write(bytes, to: path)
            return (index, bytes.count, frame.metadata.lost)
          }
        }
        return try await group.reduce(into: (0, [Int: Set<Loss>]())) { all, one in
          all.0 += one.size
          all.1[one.index] = one.lost
        }
      }
    }
    // Others may have come meanwhile.
    try checkRoom(frames: inputs.count, bytes: sizes)
    var new: [Member] = []
    for (index, path) in waiting.enumerated() {
      let own = newPath(ImageFormat.png.suffix, after: new.count)
      try FileManager.default.moveItem(atPath: path.string, toPath: own.string)
      let last = FilePath(inputs[index].name).lastComponent?.string
      new.append(
        Member(path: own, shownName: name?(index) ?? last ?? inputs[index].name, lost: lost[index] ?? []))
    }
    sentBytes += sizes
    take(new)
  }

  private func checkRoom(frames: Int, bytes: Int) throws {
    guard members.count + frames <= limits.frames else {
      throw Refusal(.contentTooLarge, "A session holds \(limits.frames) frames.", "Make the plate of these first.")
    }
    guard sentBytes + bytes <= limits.sessionBytes else {
      throw Refusal(.contentTooLarge, "A session holds \(limits.sessionBytes >> 30) GB.", "Begin another one.")
    }
  }

  /// The file of the next frame, or of one after it: only numbers and known suffixes of our own become names of files.
  private func newPath(_ suffix: String, after count: Int = 0) -> FilePath {
    let number = members.count + count + 1
    return folder.appending("frame_\(number < 10 ? "00" : number < 100 ? "0" : "")\(number).\(suffix)")
  }

  /// Takes frames that lie in files.
  func take(_ new: [Member]) {
    let first = members.count
    members += new
    update { state in
      for (offset, member) in new.enumerated() {
        state.frames.append(SessionState.FrameState(index: first + offset, name: member.shownName))
      }
      state.problem = nil
      // Not all of it any more.
      state.isKept = false
      if state.phase == .ready { state.phase = .collecting }
    }
    lookOn()
  }
}

extension Input {
  /// The picture.
  func decoded(_ options: DecodeOptions) throws -> Frame {
    switch self {
    case .frame(let frame): frame
    case .bytes(let bytes, let name): try decode(bytes, name: name, options: options)
    case .picture(let index, let bytes, _): try decode(bytes, name: name, picture: index, options: options)
    case .file(let path): try decode(try readFile(path), name: path.text, options: options)
    }
  }
}

/// Writes a file that nobody else reads meanwhile.
func write(_ bytes: [UInt8], to path: FilePath) throws {
  do {
    try Data(bytes).write(to: URL(fileURLWithPath: path.string))
  } catch {
    throw Refusal(.insufficientStorage, "There is no room for the picture.", "Free space in the temporary folder.")
  }
}
