/// How much of the reference frame the plate shows.
public enum CropMode: String, Sendable, Hashable, CaseIterable, Codable {
  /// The largest upright rectangle that every accepted frame covers.
  case common
  /// The whole reference frame.
  case reference
}
