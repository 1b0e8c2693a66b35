import CleanPlate
import Foundation

/// What the page asks for; what it leaves out is as usual.
struct RecipeRequest: Decodable {
  var combine: CombineOperator?
  var crop: CropMode?
  var reference: Int?
  var align: AlignmentModel?

  var recipe: StudioSession.Recipe {
    StudioSession.Recipe(
      combine: combine ?? .clean, crop: crop ?? .common, reference: reference, align: align ?? .homography)
  }
}

/// By which operator the plate so far is to be shown.
struct OperatorRequest: Decodable {
  var combine: CombineOperator
}

/// The code that somebody types.
struct CodeRequest: Decodable {
  var code: String
}

/// The frame that a picture has become.
struct TakenFrame: Encodable {
  var index: Int
}

/// The sessions that are open, and those that are kept.
struct SessionList: Encodable {
  struct Entry: Encodable {
    var id: UUID
    var frames: Int
    var phase: SessionState.Phase?
    var date: Date?
  }

  var open: [Entry]
  var kept: [Entry]
  var version: String
}
