import CleanPlate

/// A picture as the camera hands it over.
struct CameraImage: Sendable {
  let width: Int
  let height: Int
  /// Row by row.
  let luma: [UInt8]
}
