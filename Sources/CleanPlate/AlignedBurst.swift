import Codecs
import Cutout
import Frames
import Registration
import Selection
import Stacking

/// A burst up to the point where samples are combined.
struct AlignedBurst: Sendable {
  let burst: Burst
  let registered: RegisteredBurst
  let frames: [RegisteredFrame]
  let crop: Region
  let options: Options

  var reference: Frame { registered.reference }
  /// The reference's position among the frames.
  var position: RegisteredIndex { frames.position(of: registered.referenceIndex) ?? 0 }

  /// The frames, compared, for plans with these edits.
  func contest(_ edits: [Edit], _ detector: Detector?, _ monitor: RunMonitor) async throws -> Contest {
    try await Selector(detector: detector).contest(
      frames, reference: position, size: reference.size, edits: edits, crop: crop, threads: options.threads
    ) { monitor.tell(.progress(.select, done: Int(100 * $0), total: 100)) }
  }

  /// Which frames may speak where.
  func plan(_ edited: EditedContest) async throws -> SelectionPlan {
    let plan = try await edited.plan(threads: options.threads)
    return options.motion ? plan.keeping(position) : plan
  }

  /// What a person knows better about the frames that take part.
  func resolved(_ edits: PlateEdits) throws(EditError) -> [Edit] {
    try edits.resolved(
      names: burst.entries.map(\.name), reference: registered.referenceIndex
    ) { index in
      registered.outcomes[index.rawValue].map { frames.position(of: $0.index) ?? position }
    }
  }

  /// Who was removed from the reference.
  func foreground(of plate: Frame, _ plan: SelectionPlan?) async throws -> Foreground {
    let reference = picture(try await stack(request([frames[position]])), like: reference)
    let noise: [NoiseLevel]
    if let plan {
      noise = plan.noise
    } else {
      noise = try await Selector.noise(
        of: frames, reference: position, size: registered.reference.size, threads: options.threads)
    }
    let (front, back) = (reference.withUnusedBits(-burst.unusedBits), plate.withUnusedBits(-burst.unusedBits))
    let matte = Matte(reference: front.planes, plate: back.planes, grids: plate.grids, noise: noise)
    let beliefs = plan?.beliefs(in: position) ?? []
    let alpha = try await matte.opacity(threads: options.threads) { x, y in
      plan.map { beliefs[Int($0.choice[$0.index(x: x + crop.x, y: y + crop.y)])] } ?? .open
    }
    return try Foreground(reference: reference, plate: plate, alpha: alpha.scaled(to: plate.bits))
  }

  /// - Parameters:
  ///   - crop: what of the reference is wanted; nil for all that the plate shows.
  ///   - threads: tasks that work at once; nil for as many as the options say.
  func request(
    _ frames: [RegisteredFrame], plan: SelectionPlan? = nil, crop: Region? = nil, threads: Int? = nil
  ) -> StackRequest {
    StackRequest(
      frames: frames.levelled(by: plan?.colourOffsets ?? [:]), grids: reference.plateGrids, crop: crop ?? self.crop,
      combine: options.combine, plan: plan, threads: threads ?? options.threads)
  }

  /// Planes that were stacked as a picture with the files' bits.
  func picture(_ planes: [Plane], like frame: Frame) -> Frame {
    Frame(
      planes: planes, grids: reference.plateGrids, encoding: reference.encoding, name: frame.name,
      metadata: frame.metadata
    ).withUnusedBits(burst.unusedBits)
  }

  func report(_ monitor: RunMonitor, _ plan: SelectionPlan? = nil, detector: DetectorOption.Files? = nil) -> Report {
    Report(
      burst, registered, crop: crop, options, unresolved: plan?.unresolved(in: crop), detector: detector,
      seconds: monitor.seconds)
  }

  /// Writes the frames as decoded, their Laplacian pictures, the registered frames and the report.
  func keep(in folder: SessionFolder, _ report: Report) async throws {
    try await forEachIndex(count: burst.entries.count, threads: options.threads) { index in
      guard let content = burst.entries[index].outcome.value else { return }
      try folder.write(content.frame.withUnusedBits(burst.unusedBits), kind: "original", index: index)
      let laplacian = try LaplacianPicture(content.description).picture(name: content.frame.name)
      try folder.write(laplacian, kind: "laplacian", index: index, isMade: true)
      content.frame.discardResidentSamples()
    }
    for frame in frames {
      let picture = picture(try await stack(request([frame])), like: frame.frame)
      try folder.write(picture, kind: "aligned", index: frame.index.rawValue)
    }
    try folder.write(report)
  }
}

extension Plane {
  /// The same shares of the largest sample with so many bits.
  fileprivate func scaled(to bits: Int) throws(AllocationError) -> Plane {
    guard bits != self.bits else { return self }
    let grey = Frame(planes: [self], encoding: .grey(.full), name: "")
    return try grey.converted(to: PixelLayout(encoding: .grey(.full), bits: bits)).planes[0]
  }
}
