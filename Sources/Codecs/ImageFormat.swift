/// The picture formats that can be told apart by their first bytes.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  case jpeg, png
}
