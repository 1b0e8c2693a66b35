import Foundation
import Frames

/// How much light a picture was given, as its Exif block says.
package struct Exposure: Sendable, Hashable {
  /// The logarithm of base 2 of the light that a grey comes from, up to a constant of the camera: one more is twice as
  /// bright a picture. Shutter, aperture and sensitivity as far as they are told.
  package let stops: Double

  /// - Parameter exif: a TIFF header and its directories.
  /// - Returns: nil when no shutter time is told.
  package init?(exif: [UInt8]) {
    // ExposureTime, FNumber, PhotographicSensitivity.
    guard let tags = ExifDirectories(exif), let seconds = tags.quotient(0x829A, in: .exif), seconds > 0 else {
      return nil
    }
    let aperture = tags.quotient(0x829D, in: .exif).flatMap { $0 > 0 ? $0 : nil } ?? 1
    let sensitivity = tags.entry(0x8827, in: .exif).flatMap(tags.number).flatMap { $0 > 0 ? $0 : nil } ?? 100
    stops = log2(seconds * Double(sensitivity) / 100 / (aperture * aperture))
  }
}

extension Metadata {
  /// How much light the picture was given.
  package var exposure: Exposure? { exif.flatMap { Exposure(exif: $0) } }
}
