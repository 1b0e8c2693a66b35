import CleanPlate
import Foundation

extension StudioSession {
  /// What the page asks to change.
  enum EditRequest: Sendable {
    case add(PlateEdit)
    case replace(PlateEdits)
    case undo
    case redo
  }

  /// Changes the edits, and the plate with them. What cannot be done changes nothing.
  /// - Returns: the state after it.
  /// - Throws: `Refusal`.
  func change(_ request: EditRequest) async throws -> SessionState {
    await editGate.enter()
    defer { editGate.leave() }
    guard let desk, state.phase != .developing else {
      throw Refusal(.conflict, "There is no plate yet.", "Make it first.")
    }
    var changed = history
    switch request {
    case .add(.remove(.point(let point), from: nil)):
      // Whoever is seen there, in the plate.
      let frame = await desk.frame(shownAt: point)
      changed.set(history.list + [.remove(.point(point), from: frame.map { .index($0) })])
    case .add(let edit): changed.set(history.list + [edit])
    case .replace(let edits):
      guard let edits = members.renaming(edits, { .index($0) }) else {
        throw Refusal(.unprocessableContent, "The edits name frames that this session has not.", "Open their burst.")
      }
      if let wanted = edits.reference, wanted != .index(desk.referenceIndex) {
        throw Refusal(
          .unprocessableContent, "The edits are made for another reference.", "Make the plate with that one first.")
      }
      changed.set(edits.list)
    case .undo: changed.undo()
    case .redo: changed.redo()
    }
    guard changed.list.count <= limits.edits else {
      throw Refusal(.unprocessableContent, "\(limits.edits) edits are the most.", "Undo some.")
    }
    let edits = PlateEdits(changed.list, reference: .index(desk.referenceIndex))
    let region: Region?
    do {
      region = try await pool.run { try await desk.apply(edits) }
    } catch {
      let problem = problem(error)
      throw Refusal(.unprocessableContent, problem.problem, problem.advice)
    }
    history = changed
    await tellPlate(changed: region ?? Region(x: 0, y: 0, width: 0, height: 0))
    try? saveEdits()
    return state
  }

  /// The edits as a file of the command line.
  /// - Parameter shown: whether for somebody who has the frames as they were called where they came from.
  func editsFile(shown: Bool) throws -> [UInt8] {
    let reference = state.plate.map { FrameKey.index($0.reference) }
    let edits = PlateEdits(history.list, reference: reference)
    return try (members.renaming(edits) { members.key(of: $0, shown: shown) } ?? edits).json()
  }

  /// Sets edits without a plate that they would change, as when a kept session is opened.
  func restore(_ edits: PlateEdits) {
    guard let edits = members.renaming(edits, { .index($0) }) else { return }
    history.set(edits.list)
  }
}
