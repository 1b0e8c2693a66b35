import CLittleCMS
import Frames

/// One ICC profile that Little CMS holds; sRGB stands in for none.
final class ColourProfile {
  enum Kind { case rgb, grey, other }

  let handle: cmsHPROFILE
  let kind: Kind

  /// - Parameters:
  ///   - bytes: an ICC profile, or nil for sRGB.
  ///   - isGrey: what stands in for none: sRGB itself, or a grey with its transfer curve.
  /// - Returns: nil when the bytes are no profile.
  init?(_ bytes: [UInt8]?, isGrey: Bool) {
    let opened: cmsHPROFILE? =
      if let bytes {
        cmsOpenProfileFromMem(bytes, UInt32(clamping: bytes.count))
      } else if isGrey {
        ColourProfile.sRGBGrey()
      } else {
        cmsCreate_sRGBProfile()
      }
    guard let opened else { return nil }
    handle = opened
    switch cmsGetColorSpace(opened) {
    case cmsSigRgbData: kind = .rgb
    case cmsSigGrayData: kind = .grey
    default: kind = .other
    }
  }

  deinit { cmsCloseProfile(handle) }

  /// The transfer curve of IEC 61966-2-1, as Little CMS's parametric type 4.
  private static func sRGBCurve() -> OpaquePointer? {
    cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
  }

  private static func sRGBGrey() -> cmsHPROFILE? {
    guard let curve = sRGBCurve() else { return nil }
    defer { cmsFreeToneCurve(curve) }
    return cmsCreateGrayProfile(cmsD50_xyY(), curve)
  }

  /// An ICC profile with the transfer curve of sRGB and the colour primaries that a video, HEIF or PNG file names by
  /// number (ITU-T H.273, table 2); nil for those of sRGB and for unknown ones.
  static func make(colourPrimaries: Int) -> [UInt8]? {
    let white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    func triple(_ r: (Double, Double), _ g: (Double, Double), _ b: (Double, Double)) -> cmsCIExyYTRIPLE {
      cmsCIExyYTRIPLE(
        Red: cmsCIExyY(x: r.0, y: r.1, Y: 1), Green: cmsCIExyY(x: g.0, y: g.1, Y: 1),
        Blue: cmsCIExyY(x: b.0, y: b.1, Y: 1))
    }
    var primaries: cmsCIExyYTRIPLE
    switch colourPrimaries {
    case 9: primaries = triple((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
    case 12: primaries = triple((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
    default: return nil
    }
    guard let curve = sRGBCurve() else { return nil }
    defer { cmsFreeToneCurve(curve) }
    var (whitePoint, curves) = (white, [Optional(curve), curve, curve])
    guard let profile = cmsCreateRGBProfile(&whitePoint, &primaries, &curves) else { return nil }
    defer { cmsCloseProfile(profile) }
    var length = UInt32(0)
    guard cmsSaveProfileToMem(profile, nil, &length) != 0, length > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    guard cmsSaveProfileToMem(profile, &bytes, &length) != 0 else { return nil }
    // The date of making, which would make equal plates differ.
    bytes.replaceSubrange(24..<36, with: repeatElement(0, count: 12))
    return bytes
  }
}

/// From one profile's code values to another's, 16 bits, relative colorimetric with black point compensation.
final class ColourTransform {
  private let handle: cmsHTRANSFORM
  let channels: Int

  init?(from source: ColourProfile, to target: ColourProfile) {
    guard source.kind == target.kind, source.kind != .other else { return nil }
    channels = source.kind == .rgb ? 3 : 1
    // The macros TYPE_RGB_16 and TYPE_GRAY_16 of lcms2.h: colour space, channels, bytes.
    let format: UInt32 = source.kind == .rgb ? 4 << 16 | 3 << 3 | 2 : 3 << 16 | 1 << 3 | 2
    let flags = UInt32(cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOCACHE)
    guard
      let handle = cmsCreateTransform(
        source.handle, format, target.handle, format, UInt32(INTENT_RELATIVE_COLORIMETRIC), flags)
    else { return nil }
    self.handle = handle
  }

  deinit { cmsDeleteTransform(handle) }

  /// Converts `count` interleaved pixels in place.
  func apply(_ pixels: UnsafeMutablePointer<UInt16>, count: Int) {
    cmsDoTransform(handle, pixels, pixels, UInt32(count))
  }

  /// Whether no colour of a grid over the whole range moves by more than one level of 8 bits.
  var isNearIdentity: Bool {
    let steps = 9
    let levels = (0..<steps).map { UInt16($0 * 65_535 / (steps - 1)) }
    var pixels: [UInt16] = []
    if channels == 1 {
      pixels = levels
    } else {
      for r in levels {
        for g in levels {
          for b in levels { pixels += [r, g, b] }
        }
      }
    }
    var converted = pixels
    converted.withUnsafeMutableBufferPointer { apply($0.baseAddress!, count: pixels.count / channels) }
    return zip(pixels, converted).allSatisfy { abs(Int($0) - Int($1)) <= 257 }
  }
}
