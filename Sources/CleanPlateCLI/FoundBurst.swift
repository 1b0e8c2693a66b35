import CleanPlate

/// The files of a burst that nothing has been decoded of yet.
struct FoundBurst {
  /// As the user named them; a video's frames know no path any more.
  let named: [FilePath]
  /// Themselves, and those in folders; nil for standard input.
  let pictures: [FilePath]?
  let choice: FrameChoice
  /// Bytes that decoded planes may hold.
  let memory: Int?

  /// All that is read.
  var files: [FilePath] { named + (pictures ?? []) }

  /// The pictures, and frames of videos, which are read for it.
  func inputs(_ console: Console) throws -> [Input] {
    guard let pictures else {
      return try streamInputs(
        descriptor: FileDescriptor.standardInput.rawValue, name: "standard input", choice: choice, memory: memory
      ) { console.show($0) }
    }
    let videos = pictures.filter(isVideo)
    if let path = pictures.first, pictures.count == 1, videos.isEmpty,
      let series = try seriesInputs(path, choice: choice, memory: memory, onEvent: { console.show($0) })
    {
      return series
    }
    return try pictures.flatMap { path in
      guard let position = videos.firstIndex(of: path) else { return [Input.file(path: path)] }
      return try videoInputs(path, choice: choice, memory: memory) { event in
        if let event = event.ofVideo(position, of: videos.count) { console.show(event) }
      }
    }
  }
}

extension Event {
  /// What reading one of several videos means for reading all of them; nil for nothing.
  fileprivate func ofVideo(_ position: Int, of count: Int) -> Event? {
    switch self {
    case .started: position == 0 ? self : nil
    case .finished: position == count - 1 ? self : nil
    case .progress(let stage, let done, let total):
      .progress(stage, done: position * total + done, total: count * total)
    default: self
    }
  }
}
