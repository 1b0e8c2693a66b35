/// What a file holds beyond the frame that is made of it.
public enum Loss: String, Sendable, Hashable, CaseIterable {
  /// A map that makes highlights brighter on displays that can.
  case gainMap
  /// PQ or HLG, which is taken as if it were an ordinary picture.
  case highDynamicRange
  /// Further frames of an animation, pages of a document or pictures of a collection.
  case furtherPictures
  /// Places that are transparent, whose colours, often black, are taken as they are stored.
  case transparency
  /// Pixels that are wider than high or higher than wide, and are taken for squares.
  case pixelAspect
}
