import CleanPlate

/// What a client may ask for.
public struct Limits: Sendable, Codable {
  /// Of one picture, in bytes.
  public var pictureBytes = 96 << 20
  /// Of one video, in bytes.
  public var videoBytes = 2 << 30
  /// Of all that a session was sent, in bytes.
  public var sessionBytes = 8 << 30
  /// Of a JSON body, in bytes: a stroke of the brush has some thousand points.
  public var documentBytes = 4 << 20
  /// Of one picture.
  public var pixels = 120_000_000
  /// Pictures in a session.
  public var frames = 200
  /// Sessions that are open at once.
  public var sessions = 12
  /// Edits of a session.
  public var edits = 2_000
  /// Connections at once; more wait.
  public var connections = 400

  /// What the studio allows.
  public init() {}

  /// How uploads are decoded.
  var decoding: DecodeOptions {
    DecodeOptions(limits: DecodeLimits(maximumDimension: 30_000, maximumPixels: pixels, maximumPictures: 200))
  }
}
