import Frames

extension Contest {
  /// What is decided with edits.
  func decisions(_ edits: [Edit], threads: Int) async throws -> CellDecisions {
    for edit in edits { try edit.place.check(size: pictures.referenceSize) }
    let arguments = try await arguments(about: edits, threads: threads)
    let plate = settled.moved(from: self.arguments.cells, to: arguments.cells, otherwise: UInt8(candidates.median))
    let demands = try await demands(of: edits, arguments, plate.choice, threads: threads)
    guard !demands.isEmpty else { return settled.decisions }
    let energy = arguments.energy.demanding(demands)
    var fixed = plate.whole.filter { demands.allows(Int($0.value), in: energy.cells.cells[$0.key]) }
    // What is far from every edit stays as it was.
    let near = demands.cells.grown(by: Self.surroundings)
    for (k, cell) in energy.cells.cells.enumerated() where !near.isSet[cell] { fixed[k] = plate.choice[k] }
    return try await Arguments(agreement: arguments.agreement, energy: energy).decisions(
      chooseCandidates(energy, keeping: fixed, from: plate.choice), candidates, noise, departures, detections,
      threads: threads)
  }

  /// Cells around what edits demand in which the choice is made anew, so that seams find their way.
  private static let surroundings = 32

  /// What edits demand, one after another.
  /// - Parameter plate: a candidate for each contested cell, without edits.
  private func demands(
    of edits: [Edit], _ arguments: Arguments, _ plate: [UInt8], threads: Int
  ) async throws -> Demands {
    var demands = Demands(in: candidates.grid)
    var choice = plate
    for edit in edits {
      let frame = candidate(of: edit)
      let change: PointedAt.Change
      switch (edit, edit.place) {
      case (.remove, .mask), (.remove, .stroke):
        let cells = edit.place.cells(of: pictures, in: candidates.grid)
        let who = arguments.agreement.showing(the: frame, over: cells)
        guard who & candidates.everyFrame != candidates.everyFrame else { throw EditError.nobodyElse }
        demands.avoid(who, in: cells)
        continue
      case (_, .mask), (_, .stroke):
        change = PointedAt.Change(frame: frame, cells: edit.place.cells(of: pictures, in: candidates.grid))
        guard change.cells.isSet.contains(true) else { throw EditError.empty }
      case (_, .point(let point)):
        let pointed = PointedAt(
          candidates: candidates, agreement: arguments.agreement, energy: arguments.energy, choice: choice,
          detector: detector, pictures: pictures, departures: departures)
        change = try await pointed.change(for: edit, at: point, frame: frame, threads: threads)
      }
      guard candidates.shows(change.frame, anyOf: change.cells) else {
        throw EditError.notShown(frame: pictures.layers[change.frame].frame.name)
      }
      demands.take(change.cells, from: change.frame)
      for (k, cell) in arguments.cells.cells.enumerated() where change.cells.isSet[cell] {
        choice[k] = UInt8(change.frame)
      }
    }
    return demands
  }

  /// The frame that an edit is about, among the candidates.
  private func candidate(of edit: Edit) -> Int {
    edit.frame.flatMap { compared.positions.firstIndex(of: $0) } ?? candidates.reference
  }

  /// The arguments, also where an edit is about a place that the median settles.
  private func arguments(about edits: [Edit], threads: Int) async throws -> Arguments {
    let grid = candidates.grid
    var wanted = RegionMask(size: grid.size, isSet: Array(repeating: false, count: grid.count))
    for edit in edits {
      let cells: RegionMask
      if case .point(let point) = edit.place {
        let pixel = candidates.pixel(at: point, pictures)
        cells = try await candidates.figure(of: candidate(of: edit), around: pixel, noise, threads: threads)
      } else {
        cells = edit.place.cells(of: pictures, in: grid)
      }
      wanted = RegionMask(size: grid.size, isSet: zip(wanted.isSet, cells.isSet).map { $0 || $1 })
    }
    let isNew = wanted.isSet.indices.contains { wanted.isSet[$0] && arguments.cells.position(of: $0) == nil }
    guard isNew else { return arguments }
    let cells = ContestedCells(departures.verdicts, demanded: wanted, in: grid)
    return try await Arguments(candidates, noise, cells, detections, threads: threads)
  }
}

extension Contest.Settlement {
  /// The same over other contested cells.
  fileprivate func moved(from old: ContestedCells, to new: ContestedCells, otherwise: UInt8) -> Contest.Settlement {
    guard old.cells != new.cells else { return self }
    var moved = self
    moved.choice = new.cells.map { cell in old.position(of: cell).map { choice[$0] } ?? otherwise }
    moved.whole = [:]
    for (k, candidate) in whole {
      if let position = new.position(of: old.cells[k]) { moved.whole[position] = candidate }
    }
    return moved
  }
}

extension Candidates {
  /// The pixel of the small pictures that holds a point of the reference.
  func pixel(at point: Point, _ pictures: SmallPictures) -> (x: Int, y: Int) {
    (
      x: min(Int(point.x) / pictures.factor, size.width - 1), y: min(Int(point.y) / pictures.factor, size.height - 1)
    )
  }

  /// The cells around a pixel in which a frame departs from the median.
  fileprivate func figure(
    of frame: Int, around pixel: (x: Int, y: Int), _ noise: [ComparedNoise], threads: Int
  ) async throws -> RegionMask {
    let pair = Candidates(list: [list[frame], list[median]], size: size, reference: 0, hasChroma: hasChroma)
    let everywhere = ContestedCells(Array(repeating: .contested, count: grid.count), in: grid)
    let agreement = try await Agreement(of: pair, noise, at: everywhere, threads: threads)
    let departs = RegionMask(
      size: grid.size, isSet: (0..<grid.count).map { agreement.differing(from: 0, in: $0) != 0 })
    let near = Set(grid.cells(around: pixel))
    var figure = RegionMask(size: grid.size, isSet: Array(repeating: false, count: grid.count))
    for part in departs.regions(of: true, joinedOver: .square(1)) where part.contains(where: near.contains) {
      for cell in part { figure.isSet[cell] = true }
    }
    return figure
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
