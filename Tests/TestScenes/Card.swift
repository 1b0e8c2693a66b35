import Codecs
public import Frames

/// A camera's card with bursts on it, and the truth about them: two cameras, pictures by themselves between bursts, a copy of a
/// shot in some bursts and a picture of another scene within some.
public struct Card: Sendable {
  /// A file of the card.
  public struct Picture: Sendable {
    /// Below the card's folder.
    public let path: String
    /// Of the scene.
    let seed: UInt64
    /// Place in a burst, by which the hand trembles and somebody walks.
    let index: Int
    let camera: Int
    /// Thousandths of a second after nine in the morning.
    let time: Int
  }

  public private(set) var pictures: [Picture] = []
  /// The files of each burst.
  public private(set) var bursts: [[String]] = []

  public init(bursts count: Int, seed: UInt64 = 1) {
    var random = Dice(state: seed)
    var time = 0
    var numbers = [421, 7]
    func add(camera: Int, scene: UInt64, index: Int, at time: Int) -> String {
      defer { numbers[camera] += 1 }
      let digits = String(10_000 + numbers[camera]).dropFirst()
      let path = camera == 0 ? "DCIM/100PHONE/IMG_\(digits).JPG" : "DCIM/101MSDCF/DSC0\(digits).JPG"
      pictures.append(Picture(path: path, seed: scene, index: index, camera: camera, time: time))
      return path
    }
    for burst in 0..<count {
      let camera = random.roll(5) < 3 ? 0 : 1
      let frames = 3 + random.roll(10)
      let step = [250, 600, 1200, 2500][random.roll(4)]
      let alien = frames > 3 && random.roll(5) == 0 ? 1 + random.roll(frames - 1) : nil
      let copied = random.roll(6) == 0 ? random.roll(frames) : nil
      var files: [String] = []
      for index in 0..<frames {
        let scene = UInt64(index == alien ? 5000 + burst : 100 + burst)
        let path = add(camera: camera, scene: scene, index: index, at: time)
        if index != alien { files.append(path) }
        if index == copied, index != alien, let original = pictures.last {
          let twin = String(path.dropLast(".JPG".count)) + " (1).JPG"
          pictures.append(
            Picture(
              path: twin, seed: original.seed, index: index, camera: camera, time: original.time))
          files.append(twin)
        }
        time += step + random.roll(step / 4)
      }
      bursts.append(files)
      time += 1000 * [4, 9, 40, 400][random.roll(4)]
      for single in 0..<random.roll(3) {
        _ = add(camera: camera, scene: UInt64(9000 + 10 * burst + single), index: 0, at: time)
        time += 1000 * [3, 8, 35][random.roll(3)]
      }
    }
  }

  /// What the camera saw, with the time in its Exif block.
  public func photo(_ picture: Picture, size: Size) throws -> Frame {
    let scale = 640 / Double(size.width)
    let zoom = Homography(scale, 0, 0, 0, scale, 0, 0, 0)
    let pose = Scene.handheld(picture.index) * zoom ?? zoom
    let figures = [0, 1].map { (walker: Int) -> Scene.Figure in
      let place = (picture.index * (3 + walker) + Int(picture.seed) * 7 + walker * 5) % 17
      return Scene.Figure(
        x: 640 * Double(place) / 17, y: 300 + 60 * Double(walker), radius: 40, level: 20 + 180 * Double(walker))
    }
    let frame = try Scene(seed: picture.seed).photo(
      size, camera: pose, figures: figures, gain: 1 + 0.02 * Double(picture.index % 3), noise: 2,
      noiseSeed: UInt64(picture.time), name: picture.path)
    return Frame(
      planes: frame.planes, grids: frame.grids, encoding: frame.encoding, name: frame.name,
      metadata: Metadata(exif: Self.exif(camera: "Camera \(picture.camera)", time: picture.time)))
  }

  /// - Parameters:
  ///   - time: thousandths of a second after nine in the morning of a day in June.
  ///   - exposure: one over this of a second; nil for none.
  public static func exif(camera: String, time: Int, exposure: UInt32? = nil) -> [UInt8] {
    let seconds = 32_400 + time / 1000
    let parts = [1 + seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map {
      String(100 + $0).dropFirst()
    }
    var block = ExifBlock(
      picture: [0x0110: .text(camera)],
      exif: [
        0x9003: .text("2025:06:\(parts[0]) \(parts[1]):\(parts[2]):\(parts[3])"),
        0x9291: .text(String(String(1000 + time % 1000).dropFirst())),
      ])
    if let exposure { block.exif[0x829A] = .rationals([(UInt32(1), exposure)]) }
    return block.bytes
  }
}

/// The same numbers everywhere: SplitMix64.
private struct Dice {
  var state: UInt64

  mutating func roll(_ sides: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(sides))
  }
}
