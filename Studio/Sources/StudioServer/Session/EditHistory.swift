import CleanPlate

/// The edits of a session, and what can be undone and done again.
struct EditHistory: Sendable {
  private(set) var list: [PlateEdit] = []
  /// Lists before each change, the newest last.
  private var before: [[PlateEdit]] = []
  private var undone: [[PlateEdit]] = []

  var canUndo: Bool { !before.isEmpty }
  var canRedo: Bool { !undone.isEmpty }

  mutating func set(_ new: [PlateEdit]) {
    before.append(list)
    undone = []
    list = new
  }

  mutating func undo() {
    guard let earlier = before.popLast() else { return }
    undone.append(list)
    list = earlier
  }

  mutating func redo() {
    guard let later = undone.popLast() else { return }
    before.append(list)
    list = later
  }
}
