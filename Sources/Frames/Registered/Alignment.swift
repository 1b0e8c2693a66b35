/// How a frame lies on the reference.
public struct Alignment: Sendable {
  /// Frame pixel to reference pixel.
  public var homography: Homography
  /// What follows the homography; nil for nothing.
  public var mesh: ResidualMesh?
  /// How samples are brought to the reference's exposure and white balance.
  public var photometric: PhotometricMatch
  /// Correspondences that the homography explains; 0 when none was fitted.
  public var inliers: Int
  /// Root mean square residual of the inliers, in full-size pixels.
  public var residual: Double
  /// Variance of the Laplacian on the common area (see `Sharpness`).
  public var sharpness: Double
  /// The standard deviation of the noise once exposures are matched, as a multiple of the reference's.
  public var noise: Double
  /// Whether the picture repeats itself, so that motions by whole periods explain it as well, of which this is the smallest.
  public var isSmallestOfEqual = false
  /// Whether so little of the picture agrees, or has anything to agree on but people, that they may have led the frame astray,
  /// and other frames could not tell.
  public var isUnsure = false

  /// A frame that lies so.
  package init(
    homography: Homography, mesh: ResidualMesh? = nil, photometric: PhotometricMatch, inliers: Int = 0,
    residual: Double = 0, sharpness: Double = 0, noise: Double = 1
  ) {
    self.homography = homography
    self.mesh = mesh
    self.photometric = photometric
    self.inliers = inliers
    self.residual = residual
    self.sharpness = sharpness
    self.noise = noise
  }

  /// The alignment of the reference with itself.
  package static func reference(planes: Int) -> Alignment {
    Alignment(homography: .identity, photometric: .identity(planes: planes))
  }
}

/// Why a frame was left out, with the facts; `words` puts them into a sentence.
public enum Rejection: Error, Sendable, Hashable {
  /// The file could not be decoded.
  case unreadable(reason: String)
  /// The planes differ in kind from the reference's (grey against colour, another depth).
  case differentEncoding
  /// Its colours are so many times as strong as the reference's, below 1 weaker, as by a filter.
  case differentColours(strength: Double)
  /// Too little texture for any correspondence.
  case tooFewFeatures(found: Int)
  /// Too few correspondences agree on one motion: most likely another scene.
  case tooFewInliers(found: Int, needed: Int)
  /// The correspondences sit in a small part of the picture only.
  case poorSpread(cells: Int, needed: Int)
  /// The homography folds, mirrors or bends the picture beyond what a camera can do.
  case implausibleGeometry
  /// The picture's corners move further than allowed, as a share of the width.
  case tooFarAway(share: Double, limit: Double)
  /// It is zoomed in by more than `limit`, or out where `factor` is below 1.
  case zoomed(factor: Double, limit: Double)
  /// It shows the scene upside down: nobody holds a camera so, and it is rather a file that was turned.
  case upsideDown
  /// The picture repeats itself, and more than one motion explains it.
  case repeating
  /// What stands still is too faint in the frame or too much hidden for its place to be found exactly.
  case tooFaint
  /// It alone would cost the plate more than `limit` of its area.
  case overlapsTooLittle(cost: Double, limit: Double)
  /// The motion contradicts the other frames'.
  case inconsistent(pixels: Double)
  /// Sharpness is below the share `limit` of the burst's.
  case blurred(share: Double, limit: Double)
  /// More than `limit` of the picture is white, and it is brighter than the reference.
  case overexposed(share: Double, limit: Double)
  /// Its brightness would have to be multiplied by more than `limit`.
  case underexposed(factor: Double, limit: Double)
  /// Its noise is more than `limit` times the burst's, once the exposures are matched.
  case noisy(factor: Double, limit: Double)
  /// Another picture of the same shot is taken in its place.
  case sameShot(as: String)
  /// cleanplate itself made it out of frames.
  case plate
  /// It has less than `limit` of the reference's detail, along each axis.
  case tooSmall(share: Double, limit: Double)
  /// The report whose alignments are used again left it out, for this reason.
  case leftOutBefore(reason: String)

  /// A stable machine-readable name.
  public var code: String {
    switch self {
    case .unreadable: "unreadable"
    case .differentEncoding: "different-encoding"
    case .differentColours: "different-colours"
    case .tooFewFeatures: "too-few-features"
    case .tooFewInliers: "too-few-inliers"
    case .poorSpread: "poor-spread"
    case .implausibleGeometry: "implausible-geometry"
    case .tooFarAway: "too-far-away"
    case .zoomed: "zoomed"
    case .upsideDown: "upside-down"
    case .repeating: "repeating"
    case .tooFaint: "too-faint"
    case .overlapsTooLittle: "overlaps-too-little"
    case .inconsistent: "inconsistent"
    case .blurred: "blurred"
    case .overexposed: "overexposed"
    case .underexposed: "underexposed"
    case .noisy: "noisy"
    case .tooSmall: "too-small"
    case .leftOutBefore: "left-out-before"
    case .sameShot: "same-shot"
    case .plate: "plate"
    }
  }
}
