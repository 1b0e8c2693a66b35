package import Frames

/// A contest with edits, each decided in what those before it left, so that further ones follow without deciding these
/// again.
package struct EditedContest: Sendable {
  package let contest: Contest
  /// The edits that were taken, in their order.
  package private(set) var edits: [Edit] = []
  /// What can be said also where edits are about a place that the median settles.
  private var arguments: Contest.Arguments
  /// What is chosen without edits, for the same cells.
  private var plate: Contest.Settlement
  private var demands: Demands
  /// The plate as edits are meant that follow: a candidate for each contested cell.
  private var choice: [UInt8]

  private var candidates: Candidates { contest.candidates }

  /// Without edits.
  package init(_ contest: Contest) {
    self.contest = contest
    (arguments, plate) = (contest.arguments, contest.settled)
    (demands, choice) = (Demands(in: contest.candidates.grid), contest.settled.choice)
  }

  /// Cells around what edits demand in which the choice is made anew, so that seams find their way.
  private static let surroundings = 32

  /// Which frames may speak at which place of the reference.
  /// - Parameter threads: tasks that work at once; the plan does not depend on it.
  /// - Throws: `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  package func plan(threads: Int) async throws -> SelectionPlan {
    guard !demands.isEmpty else { return try await contest.plan(contest.settled.decisions, threads: threads) }
    let energy = arguments.energy.demanding(demands)
    // What is far from every edit stays as it was, and so do people who are whole, where they may.
    let near = demands.cells.grown(by: Self.surroundings)
    let free = energy.cells.cells.indices.filter { k in
      let cell = energy.cells.cells[k]
      return near.isSet[cell] && !(plate.whole[k].map { demands.allows(Int($0), in: cell) } ?? false)
    }
    let decisions = try await Contest.Arguments(
      companions: arguments.companions, borders: arguments.borders, energy: energy
    ).decisions(
      chooseCandidates(energy, among: free, from: plate.choice, threads: threads), contest.noise, contest.departures,
      reusing: contest.settled.decisions, threads: threads)
    return try await contest.plan(decisions, threads: threads)
  }

  /// The same with one edit more, which holds where it meets others.
  /// - Parameter threads: tasks that work at once; the plan does not depend on it.
  /// - Throws: `EditError`, `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  package func adding(_ edit: Edit, threads: Int) async throws -> EditedContest {
    try edit.place.check(size: contest.pictures.referenceSize)
    var edited = self
    try await edited.widen(to: edit, threads: threads)
    try await edited.take(edit, threads: threads)
    edited.edits.append(edit)
    return edited
  }

  /// The same with several edits more, one after another.
  /// - Throws: as `adding(_:threads:)`.
  package func adding(_ edits: some Sequence<Edit>, threads: Int) async throws -> EditedContest {
    var edited = self
    for edit in edits { edited = try await edited.adding(edit, threads: threads) }
    return edited
  }

  private mutating func take(_ edit: Edit, threads: Int) async throws {
    let frame = try candidate(of: edit)
    let change: PointedAt.Change
    switch (edit, edit.place) {
    case (.remove, .mask), (.remove, .stroke):
      let cells = try cells(of: edit)
      let who = arguments.agreement.showing(the: frame, over: cells)
      guard who & candidates.everyFrame != candidates.everyFrame else { throw EditError.nobodyElse }
      demands.avoid(who, in: cells)
      return
    case (_, .mask), (_, .stroke):
      change = PointedAt.Change(frame: frame, cells: try cells(of: edit))
    case (_, .point(let point)):
      let pointed = PointedAt(
        candidates: candidates, agreement: arguments.agreement, energy: arguments.energy, choice: choice,
        detector: contest.detector, pictures: contest.pictures, departures: contest.departures)
      change = try await pointed.change(for: edit, at: point, frame: frame, threads: threads)
    }
    guard candidates.shows(change.frame, anyOf: change.cells) else {
      throw EditError.notShown(frame: contest.pictures.frames[change.frame].frame.name)
    }
    demands.take(change.cells, from: change.frame)
    for (k, cell) in arguments.cells.cells.enumerated() where change.cells.isSet[cell] {
      choice[k] = UInt8(change.frame)
    }
  }

  /// The frame that an edit is about, among the candidates.
  private func candidate(of edit: Edit) throws(EditError) -> Int {
    guard let frame = edit.frame else { return candidates.reference }
    guard let candidate = contest.compared.positions.firstIndex(of: frame) else {
      throw .tooManyFrames(most: Candidates.mostFrames - 1)
    }
    return candidate
  }

  /// The cells that a mask or a stroke means.
  private func cells(of edit: Edit) throws(EditError) -> RegionMask {
    let cells = edit.place.cells(of: contest.pictures, in: candidates.grid)
    guard cells.isSet.contains(true) else { throw .empty(mask: edit.place.maskName) }
    return cells
  }

  /// Lets the cells that an edit is about take part, where the median settles them.
  private mutating func widen(to edit: Edit, threads: Int) async throws {
    let wanted: RegionMask
    if case .point(let point) = edit.place {
      wanted = try await candidates.figure(
        of: try candidate(of: edit), around: candidates.pixel(at: point, contest.pictures), contest.noise,
        threads: threads)
    } else {
      wanted = try cells(of: edit)
    }
    let isNew = wanted.isSet.indices.contains { wanted.isSet[$0] && arguments.cells.position(of: $0) == nil }
    guard isNew else { return }
    let before = arguments.cells
    arguments = try await arguments.widened(
      to: wanted, contest.noise, soft: contest.soft, threads: threads)
    choice = arguments.cells.values(choice, of: before, otherwise: UInt8(candidates.median))
    plate = plate.moved(to: arguments.cells, from: before, otherwise: UInt8(candidates.median))
  }
}

extension Candidates {
  /// The pixel of the small pictures that holds a point of the reference.
  func pixel(at point: Point, _ pictures: SmallPictures) -> (x: Int, y: Int) {
    (
      x: min(Int(point.x) / pictures.factor, size.width - 1), y: min(Int(point.y) / pictures.factor, size.height - 1)
    )
  }

  /// Cells around a pixel in which a figure is looked for at first; twice as many where it goes on.
  private static let figureReach = 24

  /// The cells around a pixel in which a frame departs from the median.
  fileprivate func figure(
    of frame: Int, around pixel: (x: Int, y: Int), _ noise: [ComparedNoise], threads: Int
  ) async throws -> RegionMask {
    let pair = Candidates(list: [list[frame], list[median]], size: size, reference: 0, chroma: chroma)
    let near = Set(grid.cells(around: pixel))
    let centre = grid.cell(x: pixel.x, y: pixel.y)
    var reach = Self.figureReach
    while true {
      let window = RegionMask(
        size: grid.size, isSet: (0..<grid.count).map { grid.distance(of: $0, to: centre) <= reach })
      let agreement = try await Agreement(of: pair, noise, at: ContestedCells(window, in: grid), threads: threads)
      let departs = RegionMask(
        size: grid.size, isSet: (0..<grid.count).map { agreement.differing(from: 0, in: $0) != 0 })
      var figure = RegionMask(size: grid.size)
      var goesOn = false
      for part in departs.regions(of: true, joinedOver: .square(1)) where part.contains(where: near.contains) {
        for cell in part {
          figure.isSet[cell] = true
          goesOn = goesOn || grid.distance(of: cell, to: centre) == reach
        }
      }
      if !goesOn { return figure }
      reach *= 2
    }
  }

  /// Whether a frame shows the top left pixel of one of the cells at least, if there are any.
  fileprivate func shows(_ frame: Int, anyOf cells: RegionMask) -> Bool {
    !cells.isSet.contains(true)
      || cells.isSet.indices.contains { cell in
        let (x, y) = grid.origin(of: cell)
        return cells.isSet[cell] && list[frame].covers(x: x, y: y)
      }
  }
}
