public import Codecs
public import Frames

/// What each frame shows where a plate is not known to be free, for work by hand.
public struct PlateLayers: Sendable {
  /// The plate.
  public let plate: Frame
  /// The places where somebody is left as far as can be told, the largest first.
  public let places: [OpenPlace]

  /// A place that no frame is known to show free.
  public struct OpenPlace: Sendable {
    /// Around it, in the plate's pixels.
    public let region: Region
    /// Its frames, in the order in which they were taken.
    public let versions: [Version]
  }

  /// What one frame shows of a place.
  public struct Version: Sendable {
    /// The frame's index in the burst.
    public let index: Int
    /// The frame's name.
    public let name: String
    /// Registered and matched, of the place's size.
    public let picture: Frame
    /// The place's outline with a soft edge: 255 within, 0 outside and where the frame shows nothing.
    public let alpha: Plane
  }

  /// The plate with the versions of each place as hidden layers over it, as a file of OpenRaster. Layers are called as frames are,
  /// without their folders; without metadata, by the frames' numbers alone.
  /// - Throws: `CodecError`, `AllocationError`.
  public func openRaster(_ options: EncodeOptions) throws -> [UInt8] {
    let groups = places.enumerated().map { number, place in
      LayeredPicture.Group(
        name: "place \(number + 1) at \(place.region.x),\(place.region.y)",
        layers: place.versions.map { version in
          LayeredPicture.Layer(
            name: options.strip ? "\(version.index)" : "\(version.index): \(version.name.lastPathPart)",
            x: place.region.x, y: place.region.y,
            picture: version.picture, alpha: version.alpha)
        })
    }
    return try LayeredPicture(merged: plate, thumbnail: thumbnail(of: plate), groups: groups).openRaster(options)
  }
}
