import CleanPlate
import Foundation

/// One burst on its way to a plate: frames come in, the plate grows, is made, looked at and put right.
///
/// What happens is told to `watchers`. Work on pixels goes on in `pool`, one thing after another.
actor StudioSession {
  let id: UUID
  nonisolated let watchers = Watchers()
  let limits: Limits
  let threads: Int
  let pool: WorkPool
  /// Where frames that were sent lie; gone with the session.
  let folder: FilePath

  private(set) var state: SessionState
  var members: [Member] = []
  var history = EditHistory()
  private(set) var desk: EditablePlate?
  var sentBytes = 0
  private var live: LivePlate
  private var liveCombine = CombineOperator.median
  private(set) var livePicture: [UInt8]?
  private var thumbnails: [Int: [UInt8]] = [:]
  private var next = 0
  private var liveTask: Task<Void, Never>?
  /// Finds out what more frames would be good for; most frames that come go before it.
  private var aheadTask: Task<Void, Never>?
  /// Frames that were looked at when that was found out last.
  private var advised = 0
  /// Frames that may come without a new word about it.
  private static let patience = 8
  private var developTask: Task<Void, Never>?
  /// What should be known of the plate that is being made, and of the one that is there.
  private var (newNotes, notes): ([String], [String]) = ([], [])
  private var lastTold = ContinuousClock.now
  /// One change of the plate at a time.
  let editGate = Gate()
  /// Where the session is kept; nil before it is.
  var keptFolder: FilePath?

  init(id: UUID, folder: FilePath, limits: Limits, threads: Int, pool: WorkPool) {
    (self.id, self.folder, self.limits, self.threads, self.pool) = (id, folder, limits, threads, pool)
    state = SessionState(id: id)
    state.hasDetector = !DetectorOption.auto.files.isEmpty
    live = LivePlate(threads: threads)
  }

  /// Changes the state and tells it.
  /// - Parameter seldom: whether it may be left out when another was told just now.
  func update(seldom: Bool = false, _ change: (inout SessionState) -> Void) {
    change(&state)
    state.revision += 1
    let now = ContinuousClock.now
    if seldom, now - lastTold < .milliseconds(100) { return }
    lastTold = now
    watchers.tell(state)
  }

  // MARK: Frames

  /// Judges the frames that wait, and shows the plate of those so far.
  private func lookAtWaiting() async {
    defer {
      liveTask = nil
      if state.phase != .developing { lookOn() }
    }
    var shown = ContinuousClock.now - .seconds(1)
    while next < members.count, !Task.isCancelled {
      let index = next
      next += 1
      let input = Input.file(path: members[index].path)
      let (live, pool, decoding) = (self.live, self.pool, limits.decoding)
      do {
        // Once the plate is made, its own verdicts hold.
        let isJudged = state.phase != .collecting
        thumbnails[index] = try await pool.run {
          let frame = try input.decoded(decoding)
          if !isJudged { try await live.add(frame, index: index) }
          return try frame.thumbnail(width: 240).jpeg(quality: 75)
        }
      } catch is CancellationError {
        // The plate is being made; what was not looked at waits until it is.
        next = index
        break
      } catch {
        let words = (error as? CodecError).map { members.naming($0.words) } ?? problem(error).problem
        update { $0.frames[index].set(accepted: false, "left out: \(words)") }
      }
      if Task.isCancelled || state.phase != .collecting {
        update { _ in }
        continue
      }
      await takeVerdicts()
      if next == members.count || ContinuousClock.now - shown > .milliseconds(400) {
        await showLive()
        shown = .now
      }
    }
    if !Task.isCancelled, state.phase == .collecting { lookAhead() }
  }

  /// Goes on where making the plate came in between.
  func lookOn() {
    guard liveTask == nil, next < members.count else { return }
    // Where frames come without a pause, advice must come between them.
    if next - advised < Self.patience { stopLookingAhead() }
    liveTask = Task { await self.lookAtWaiting() }
  }

  private func takeVerdicts() async {
    let (verdicts, members) = (await live.verdicts, members)
    update { state in
      for verdict in verdicts where state.frames.indices.contains(verdict.index) {
        state.frames[verdict.index].take(verdict, of: members)
      }
    }
  }

  private func showLive() async {
    let (live, combine) = (self.live, liveCombine)
    guard let bytes = try? await pool.run({ try await live.plate(combine).map { try $0.jpeg(quality: 85) } }) else {
      return
    }
    livePicture = bytes
    let frames = state.frames.count { $0.accepted == true }
    update {
      $0.live.version += 1
      $0.live.frames = frames
    }
  }

  /// Begins to find out what more frames would be good for.
  private func lookAhead() {
    guard aheadTask == nil else { return }
    let (live, seen) = (self.live, next)
    aheadTask = Task {
      let prospect = try? await pool.run { try await live.prospect() }
      guard !Task.isCancelled else { return }
      (aheadTask, advised) = (nil, seen)
      if let prospect {
        update { state in
          state.live.places = prospect.places
          state.live.share = prospect.share
          state.live.advice = prospect.advice
        }
      }
      if seen < next, liveTask == nil, state.phase == .collecting { lookAhead() }
    }
  }

  private func stopLookingAhead() {
    aheadTask?.cancel()
    aheadTask = nil
  }

  /// Shows the plate so far by another operator.
  func show(_ combine: CombineOperator) async {
    liveCombine = combine
    await showLive()
  }

  func thumbnail(_ index: Int) -> [UInt8]? { thumbnails[index] }

  // MARK: The plate

  /// How a plate is made.
  struct Recipe: Sendable, Codable {
    var combine = CombineOperator.clean
    var crop = CropMode.common
    /// A frame's number; nil chooses.
    var reference: Int?
    var align = AlignmentModel.homography
  }

  private(set) var recipe = Recipe()

  /// Begins to make the plate of all frames.
  func develop(_ recipe: Recipe) throws {
    guard state.phase != .developing else { throw Refusal(.conflict, "The plate is being made.", "Wait for it.") }
    guard members.count >= 2 else {
      throw Refusal(.unprocessableContent, "A plate takes two frames at least.", "Add more.")
    }
    liveTask?.cancel()
    stopLookingAhead()
    self.recipe = recipe
    let chosen: ReferenceOption = recipe.reference.map { .index($0) } ?? .auto
    let options = try Options(
      align: recipe.align, combine: recipe.combine, reference: chosen, crop: recipe.crop, threads: threads)
    let inputs = members.map { Input.file(path: $0.path) }
    newNotes = []
    for loss in Loss.allCases {
      let names = members.filter { $0.lost.contains(loss) }.map(\.shownName)
      if !names.isEmpty { note(.lost(loss, names: names)) }
    }
    update { state in
      state.phase = .developing
      state.problem = nil
      state.progress = SessionState.Progress(stage: "decode", done: 0, total: inputs.count)
    }
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let pool = self.pool
    developTask = Task {
      let told = Task { for await event in events { self.take(event) } }
      do {
        let desk = try await pool.run {
          defer { continuation.finish() }
          return try await EditablePlate(of: inputs, options: options) { continuation.yield($0) }
        }
        await told.value
        await self.put(desk)
      } catch {
        continuation.finish()
        await told.value
        self.fail(error)
      }
      self.developTask = nil
      self.lookOn()
    }
  }

  /// Calls making the plate off.
  func stop() { developTask?.cancel() }

  private func take(_ event: Event) {
    switch event {
    case .started(let stage): update { $0.progress = .init(stage: stage.rawValue, done: 0, total: 0) }
    case .progress(let stage, let done, let total):
      update(seldom: true) { $0.progress = .init(stage: stage.rawValue, done: done, total: total) }
    case .decoded(let index, _, let size):
      update(seldom: true) { ($0.frames[index].width, $0.frames[index].height) = (size.width, size.height) }
    case .referenceChosen(let index, _):
      update { state in for i in state.frames.indices { state.frames[i].isReference = i == index } }
    case .registered(let index, _, let alignment):
      update(seldom: true) {
        $0.frames[index].set(accepted: true, "takes part")
        $0.frames[index].sharpness = alignment.sharpness
      }
    case .rejected(let index, _, let reason):
      update { $0.frames[index].set(accepted: false, "left out: \(members.naming(reason.words))") }
    default: note(event)
    }
  }

  /// Keeps what an event says about the plate.
  private func note(_ event: Event) {
    if let note = event.note(naming: { $0 }) { newNotes.append(members.naming(note.text.readableName)) }
  }

  private func fail(_ error: any Error) {
    let problem = error is CancellationError ? nil : problem(error)
    update { state in
      state.phase = state.plate == nil ? .collecting : .ready
      state.progress = nil
      state.problem = problem
    }
  }

  private func put(_ desk: EditablePlate) async {
    self.desk = desk
    notes = newNotes
    let list = history.list
    var refused: SessionState.Problem?
    if !list.isEmpty {
      do {
        let edits = PlateEdits(list, reference: .index(desk.referenceIndex))
        _ = try await pool.run { try await desk.apply(edits) }
      } catch {
        // They stay in the list; the plate is without them.
        refused = problem(error)
      }
    }
    await tellPlate(changed: nil)
    update { state in
      state.phase = .ready
      state.progress = nil
      state.problem = refused
    }
  }

  /// An error as the page tells it.
  func problem(_ error: any Error) -> SessionState.Problem {
    let problem = SessionState.Problem(error)
    return SessionState.Problem(problem: members.naming(problem.problem), advice: problem.advice.map(members.naming))
  }

  /// What was measured and decided, with frames called as the page calls them; nil before there is a plate.
  var report: Report? {
    get async {
      guard let desk else { return nil }
      return await desk.report.naming(members) { members[$0].shownName }
    }
  }

  /// Tells what the plate is now.
  /// - Parameter changed: what an edit changed; nil for a plate that was just made.
  func tellPlate(changed: Region?) async {
    guard let desk else { return }
    let now = Int(Date().timeIntervalSince1970 * 1_000)
    let version = max(now, (state.plate?.version ?? 0) + 1)
    let report = await desk.report
    let decisions = await desk.decisions
    let places = decisions?.unresolvedPlaces(in: desk.crop) ?? []
    let edits = PlateEdits.Document(PlateEdits(history.list)).edits
    var changes: [SessionState.Plate.Change] = []
    if let changed { changes = (state.plate?.changes ?? []) + [.init(version: version, region: changed)] }
    update { state in
      state.plate = SessionState.Plate(
        version: version, made: changed == nil ? version : state.plate?.made ?? version, crop: desk.crop,
        reference: desk.referenceIndex,
        combine: report.combine, frames: desk.frames, places: places, unresolved: report.unresolved,
        summary: report.summary, notes: notes, cell: decisions?.cell,
        changes: changes.suffix(SessionState.Plate.mostChanges))
      state.edits = edits
      state.canUndo = history.canUndo
      state.canRedo = history.canRedo
    }
  }
}

extension SessionState.FrameState {
  mutating func set(accepted: Bool, _ words: String) { (self.accepted, verdict) = (accepted, words) }

  fileprivate mutating func take(_ seen: LivePlate.Verdict, of members: [Member]) {
    (width, height) = (seen.size.width, seen.size.height)
    isReference = seen.isReference
    sharpness = seen.sharpness
    if let rejection = seen.rejection {
      set(accepted: false, "left out: \(members.naming(rejection.words))")
    } else {
      set(accepted: true, "takes part")
    }
  }
}

extension SessionState.Problem {
  /// An error in words.
  init(_ error: any Error) {
    switch error {
    case let problem as SessionState.Problem: self = problem
    case let refusal as Refusal: self.init(problem: refusal.problem, advice: refusal.advice)
    case let error as any WordedError:
      let explanation = error.explanation { $0 }
      self.init(problem: explanation.problem.readableName, advice: explanation.advice?.readableName)
    default: self.init(problem: "\(error). This should not happen; please report it.", advice: nil)
    }
  }
}

extension Frame {
  /// For the page: sRGB or with its profile, and nothing else about it.
  func jpeg(quality: Int) throws -> [UInt8] {
    try encode(self, options: EncodeOptions(format: .jpeg, quality: quality, strip: true, threads: 1))
  }
}
