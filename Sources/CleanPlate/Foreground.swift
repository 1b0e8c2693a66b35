import Codecs
public import Frames

/// Everybody who was removed from the reference, to be laid over the plate or over something else.
///
/// Over the plate it gives back the reference but for its noise. Within somebody the colours are the reference's;
/// along his edge, where they are mixed with what is behind, that part is taken out.
public struct Foreground: Sendable {
  /// R, G, B or grey, as deep and large as the plate, with the reference's metadata; not multiplied by `alpha`, and
  /// black where that is 0.
  public let colours: Frame
  /// 0 where nobody was removed, the largest sample where he hides what is behind.
  public let alpha: Plane

  /// The picture as a file.
  /// - Throws: `CodecError`; `CodecError.noAlpha` for a format that is not written with transparency.
  public func encoded(_ options: EncodeOptions) throws(CodecError) -> [UInt8] {
    try encode(colours, alpha: alpha, options: options)
  }
}

extension Foreground {
  /// Takes the part of the plate that shows through out of the reference's colours.
  /// - Parameters:
  ///   - reference: the reference on the plate's rectangle.
  ///   - plate: of the same layout.
  ///   - alpha: how much of the reference hides the plate.
  /// - Throws: `AllocationError`.
  init(reference: Frame, plate: Frame, alpha: Plane) throws(AllocationError) {
    let encoding: PixelEncoding = plate.encoding.planeCount == 1 ? .grey(.full) : .rgb
    let layout = PixelLayout(encoding: encoding, bits: plate.bits)
    let (front, back) = (try reference.converted(to: layout), try plate.converted(to: layout))
    var planes: [Plane] = []
    for (front, back) in zip(front.planes, back.planes) { planes.append(try unmix(front, from: back, alpha)) }
    colours = Frame(planes: planes, encoding: encoding, name: reference.name, metadata: reference.metadata)
    self.alpha = alpha
  }
}

/// The colours that, laid over `back` with `alpha`, give `front`; the nearest ones where none do.
private func unmix(_ front: Plane, from back: Plane, _ alpha: Plane) throws(AllocationError) -> Plane {
  let builder = try PlaneBuilder(width: front.width, height: front.height, bits: front.bits)
  if front.bits > 8 {
    unmix(front, back, alpha, into: builder, UInt16.self)
  } else {
    unmix(front, back, alpha, into: builder, UInt8.self)
  }
  return builder.finish()
}

private func unmix<S: Sample>(_ front: Plane, _ back: Plane, _ alpha: Plane, into builder: PlaneBuilder, _: S.Type) {
  let whole = (1 << builder.bits) - 1
  for y in 0..<builder.height {
    let target = builder.row(y, as: S.self)
    front.withUnsafeRow(y, as: S.self) { front in
      back.withUnsafeRow(y, as: S.self) { back in
        alpha.withUnsafeRow(y, as: S.self) { alpha in
          for x in 0..<target.count {
            let share = Int(alpha[x])
            guard share > 0 else {
              target[x] = 0
              continue
            }
            let step = (Int(front[x]) - Int(back[x])) * whole
            let colour = Int(back[x]) + (step + (step < 0 ? -share : share) / 2) / share
            target[x] = S(min(max(colour, 0), whole))
          }
        }
      }
    }
  }
}
