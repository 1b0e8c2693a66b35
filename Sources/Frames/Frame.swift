/// One decoded photo, upright: its planes and what they mean.
public struct Frame: Sendable {
  /// Y, Cb, Cr or R, G, B or grey; all of one depth.
  public let planes: [Plane]
  /// Where each plane's samples sit; the first plane's grid is always `.full`.
  public let grids: [PlaneGrid]
  /// What the planes are.
  public let encoding: PixelEncoding
  /// Where it came from, for messages: a path, or a name that the caller chose.
  public let name: String
  /// Colour profile, EXIF, XMP and IPTC.
  public let metadata: Metadata

  /// - Parameters:
  ///   - planes: as many as the encoding has, of one depth.
  ///   - grids: one per plane, the first `.full`, with scales of 1, 2 or 4, which the planes' sizes follow; nil when no plane is
  ///     subsampled.
  ///   - encoding: what the planes are.
  ///   - name: for messages.
  ///   - metadata: what the plate takes over when this frame is the reference.
  /// - Precondition: the planes fit to each other, and to the encoding, like that.
  public init(
    planes: [Plane], grids: [PlaneGrid]? = nil, encoding: PixelEncoding, name: String, metadata: Metadata = Metadata()
  ) {
    let grids = grids ?? planes.map { _ in .full }
    precondition(planes.count == encoding.planeCount, "\(planes.count) planes for \(encoding)")
    precondition(grids.count == planes.count && grids[0] == .full, "a grid for every plane, the first one full")
    precondition(planes.allSatisfy { $0.bits == planes[0].bits }, "planes of one frame have one depth")
    let size = Size(width: planes[0].width, height: planes[0].height)
    precondition(
      zip(planes, grids).allSatisfy { plane, grid in
        [1, 2, 4].contains(grid.scaleX) && [1, 2, 4].contains(grid.scaleY)
          && grid.planeSize(for: size) == Size(width: plane.width, height: plane.height)
      }, "planes have the sizes that their grids give them")
    self.planes = planes
    self.grids = grids
    self.encoding = encoding
    self.name = name
    self.metadata = metadata
  }

  /// Of the picture: that of its first plane, in pixels.
  public var size: Size { Size(width: planes[0].width, height: planes[0].height) }
  /// Significant bits of every sample, 8...16.
  public var bits: Int { planes[0].bits }
  /// Bytes that the planes take.
  public var byteCount: Int { planes.reduce(0) { $0 + $1.byteCount } }

  /// Whether any of the samples wait in a temporary file, since the memory budget had no room for them.
  package var isSpilled: Bool { planes.contains { $0.isSpilled } }

  /// Lets the memory of samples that nobody needs soon go, when a temporary file backs them; they come back by
  /// themselves when they are read.
  package func discardResidentSamples() {
    for plane in planes { plane.discardResidentSamples() }
  }

  /// The frame turned upright from how it was stored.
  /// - Throws: `AllocationError`.
  public func oriented(_ orientation: Orientation, budget: MemoryBudget? = nil) throws(AllocationError) -> Frame {
    guard orientation != .up else { return self }
    var turned: [Plane] = []
    for plane in planes { turned.append(try plane.oriented(orientation, budget: budget)) }
    let grids = grids.map { $0.oriented(orientation, storedSize: size) }
    return Frame(planes: turned, grids: grids, encoding: encoding, name: name, metadata: metadata)
  }
}
