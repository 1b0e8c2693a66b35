import Foundation

/// What a camera's clock showed, which knows of no time zone.
/// - Parameters:
///   - seconds: since the start of 1970 by that clock.
///   - form: of Unicode's technical standard 35, such as `yyyy-MM-dd`.
package func cameraClock(_ seconds: Double, as form: String) -> String {
  let format = DateFormatter()
  format.locale = Locale(identifier: "en_US_POSIX")
  format.timeZone = TimeZone(secondsFromGMT: 0)
  format.dateFormat = form
  return format.string(from: Date(timeIntervalSince1970: seconds))
}
