import CleanPlate
import Foundation

/// All that the page shows of a session, sent whole whenever it changes: who comes back after a lost connection is where
/// he was.
struct SessionState: Sendable, Codable {
  /// Where the session is.
  enum Phase: String, Sendable, Codable {
    /// Frames come in.
    case collecting
    /// The plate is being made.
    case developing
    /// There is a plate.
    case ready
  }

  /// One frame of the filmstrip.
  struct FrameState: Sendable, Codable {
    var index: Int
    var name: String
    var width: Int?
    var height: Int?
    var isReference = false
    var sharpness: Double?
    /// Whether it takes part; nil while nobody has looked.
    var accepted: Bool?
    /// In words: "takes part", "left out: ...".
    var verdict = "waiting"
  }

  /// The small plate of the frames so far.
  struct Live: Sendable, Codable {
    /// Changes with the picture; 0 before there is one.
    var version = 0
    var frames = 0
    var places: Int?
    var share: Double?
    var advice: String?
  }

  struct Progress: Sendable, Codable {
    var stage: String
    var done: Int
    var total: Int
  }

  struct Problem: Sendable, Codable, Error {
    var problem: String
    var advice: String?
  }

  /// The plate.
  struct Plate: Sendable, Codable {
    /// Changes with the plate, and never stands for another one, as browsers keep what they were shown.
    var version: Int
    /// Its version when it was made, before edits.
    var made: Int
    /// In pixels of the reference.
    var crop: Region
    var reference: Int
    var combine: CombineOperator
    /// Frames that take part.
    var frames: [Int]
    /// Places that were never free, largest first, in pixels of the reference.
    var places: [Region]
    /// Share of the plate, 0...1.
    var unresolved: Double
    /// The closing line.
    var summary: String
    /// What else should be known of it, in sentences.
    var notes: [String] = []
    /// Pixels along the side of a cell in which is decided; nil where nothing is decided place by place.
    var cell: Int?
    /// What the last edits changed, the newest last: who missed some states still learns what to look at again.
    var changes: [Change] = []

    /// What an edit changed.
    struct Change: Sendable, Codable {
      /// The plate's version since then.
      var version: Int
      /// In pixels of the reference.
      var region: Region
    }

    /// Changes that are remembered.
    static let mostChanges = 40
  }

  var id: UUID
  /// Grows with every change.
  var revision = 0
  var phase = Phase.collecting
  var frames: [FrameState] = []
  var live = Live()
  var progress: Progress?
  var problem: Problem?
  var plate: Plate?
  var edits: [PlateEdits.Document.Item] = []
  var canUndo = false
  var canRedo = false
  /// Whether it lies in a folder of its own.
  var isKept = false
  var folder: String?
  /// Whether somebody tells who lingers.
  var hasDetector = true
}
