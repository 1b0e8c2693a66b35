package import Frames

/// Brings a frame's colours to the profile of another, so that they may be combined.
///
/// Frames whose profiles mean the same (an sRGB profile, or none) come back with their samples untouched.
/// Otherwise the samples go through R, G, B at 16 bits and back to the frame's own encoding, depth and chroma
/// grid. The result carries the reference's profile.
/// - Throws: `CodecError.colourConversion` when a profile cannot be read or describes another kind of colour.
package func convert(
  _ frame: Frame, toProfileOf reference: Frame, budget: MemoryBudget? = nil
) throws(CodecError) -> Frame {
  guard frame.metadata.iccProfile != reference.metadata.iccProfile else { return frame }
  func refuse(_ why: String) -> CodecError { .colourConversion(name: frame.name, why: why) }
  let isGrey = frame.encoding.planeCount == 1
  guard isGrey == (reference.encoding.planeCount == 1) else {
    throw refuse(isGrey ? "it is grey and the reference is not" : "the reference is grey and it is not")
  }
  guard let source = ColourProfile(frame.metadata.iccProfile, isGrey: isGrey) else {
    throw refuse("its colour profile cannot be read")
  }
  guard let target = ColourProfile(reference.metadata.iccProfile, isGrey: isGrey) else {
    throw refuse("the reference's colour profile cannot be read")
  }
  guard source.kind == (isGrey ? .grey : .rgb) else {
    throw refuse("its colour profile is for another kind of picture")
  }
  guard let transform = ColourTransform(from: source, to: target) else {
    throw refuse("no way leads from its colour profile to the reference's")
  }
  do {
    let converted = transform.isNearIdentity ? frame : try frame.transformed(by: transform, budget: budget)
    var metadata = frame.metadata
    metadata.iccProfile = reference.metadata.iccProfile
    return Frame(
      planes: converted.planes, grids: converted.grids, encoding: converted.encoding, name: frame.name,
      metadata: metadata)
  } catch {
    throw .allocation(name: frame.name, error)
  }
}

extension Frame {
  fileprivate func transformed(by transform: ColourTransform, budget: MemoryBudget?) throws(AllocationError) -> Frame {
    let channels = transform.channels
    let deep = try converted(to: PixelLayout(encoding: channels == 1 ? .grey(.full) : .rgb, bits: 16), budget: budget)
    let builders = try PlaneBuilder.builders(
      of: Array(repeating: size, count: channels), bits: 16, budget: budget)
    let row = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: size.width * channels)
    defer { row.deallocate() }
    for y in 0..<size.height {
      deep.planes.interleave(row: y, into: row)
      transform.apply(row.baseAddress!, count: size.width)
      for (channel, builder) in builders.enumerated() {
        let target = builder.row(y, as: UInt16.self)
        for x in 0..<target.count { target[x] = row[channels * x + channel] }
      }
    }
    let result = Frame(
      planes: builders.map { $0.finish() }, encoding: deep.encoding, name: name, metadata: metadata)
    return try result.converted(to: layout, budget: budget)
  }
}
