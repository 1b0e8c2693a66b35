/// How the samples that the frames have for one pixel become one.
public enum CombineOperator: String, Sendable, Hashable, CaseIterable, Codable {
  /// The mean of the samples that agree within the noise, among the frames that the plan lets speak.
  case clean
  case median
  case mean
  /// The most frequent value, by hue.
  case mode
  /// The brightest sample.
  case lighten
  /// The darkest sample.
  case darken
}

extension CombineOperator {
  /// Whether the plate shows what stays, without those who pass: the others gather what all frames show.
  package var removesPeople: Bool {
    switch self {
    case .clean, .median, .mode: true
    case .mean, .lighten, .darken: false
    }
  }
}
