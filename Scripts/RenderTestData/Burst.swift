import Foundation
import Frames

/// A burst to be rendered: the camera, the people and how shots differ.
struct BurstPlan {
  let name: String
  let camera: Camera
  let frames: Int
  /// 8 gives JPEG with 4:2:0, 16 gives PNG.
  let bits: Int
  let isHandheld: Bool
  /// Largest change of exposure, as a factor's distance from 1.
  let exposureDrift: Double
  let noise: Double
  let walkers: Int
  /// Groups that stand still over some frames: where, and in which frames.
  let lingerers: [(feet: [Point], frames: Range<Int>)]
  let seed: UInt64
}

/// What a burst's frames show and how they lie.
struct Burst {
  let plan: BurstPlan
  let shots: [Shot]
  /// The people in each frame, farthest first.
  let figures: [[Figure]]

  init(_ plan: BurstPlan) {
    self.plan = plan
    var random = Random(seed: plan.seed)
    let size = plan.camera.size
    let reach = Double(size.width) * 0.018
    let tilt = 1e-5 * min(1, 640 / Double(size.width))
    shots = (0..<plan.frames).map { index in
      let homography =
        index == 0 || !plan.isHandheld
        ? .identity
        : Homography.handheld(
          size: size, shift: (random.uniform(-reach...reach), random.uniform(-reach...reach)),
          turn: random.uniform(-0.014...0.014), zoom: random.uniform(0.99...1.01),
          tilt: (random.uniform(-tilt...tilt), random.uniform(-tilt...tilt)))
      let exposure = index == 0 ? 1 : 1 + random.uniform(-1...1) * plan.exposureDrift
      let tint = index == 0 ? 0 : random.uniform(-1...1) * plan.exposureDrift / 4
      return Shot(
        homography: homography, gain: exposure * Color(1 + tint, 1, 1 - tint), noise: plan.noise,
        seed: plan.seed &* 1000 &+ UInt64(index))
    }
    figures = Burst.people(plan, &random)
  }

  /// Walkers cross the picture, each with a pace of their own that clears their width from frame to frame.
  private static func people(_ plan: BurstPlan, _ random: inout Random) -> [[Figure]] {
    let camera = plan.camera
    let span = Double(camera.size.width) / camera.scale
    let bottom = camera.origin.y + Double(camera.size.height) / camera.scale
    var frames: [[Figure]] = Array(repeating: [], count: plan.frames)
    for walker in 0..<plan.walkers {
      let depth = (Double(walker) + random.uniform()) / Double(plan.walkers)
      let y = Monument.groundLine + 8 + depth * depth * (bottom - Monument.groundLine - 24)
      let figure = Figure.random(&random, feet: Point(x: camera.origin.x + random.uniform() * span, y: y))
      let pace = (random.uniform() < 0.5 ? -1 : 1) * figure.height * random.uniform(0.8...1.3)
      for index in 0..<plan.frames {
        var now = figure
        // Whoever leaves on one side comes in on the other.
        let wide = span + figure.height
        let start = figure.feet.x - camera.origin.x + Double(index) * pace + figure.height / 2
        now.feet.x = camera.origin.x - figure.height / 2 + start - (start / wide).rounded(.down) * wide
        now.stride = random.uniform(-1...1)
        frames[index].append(now)
      }
    }
    for group in plan.lingerers {
      for feet in group.feet {
        let figure = Figure.random(&random, feet: feet)
        for index in group.frames {
          var now = figure
          now.feet.x += random.uniform(-0.6...0.6)
          now.stride = random.uniform(-0.15...0.15)
          frames[index].append(now)
        }
      }
    }
    return frames.map { people in people.sorted { $0.feet.y < $1.feet.y } }
  }

  /// The frame with this index.
  func photo(_ index: Int, of scene: Canvas) throws -> Frame {
    try photo(index, of: scene, as: shots[index], bits: plan.bits)
  }

  /// What a frame shows as the reference's camera would, without noise and at the reference's exposure; of 8 bits.
  func view(_ index: Int, of scene: Canvas) throws -> Frame {
    try photo(index, of: scene, as: Shot(homography: .identity), bits: 8)
  }

  private func photo(_ index: Int, of scene: Canvas, as shot: Shot, bits: Int) throws -> Frame {
    var canvas = scene
    for figure in figures[index] { figure.paint(on: &canvas) }
    return try plan.camera.photo(of: canvas, shot: shot, bits: bits, name: "\(plan.name) \(index)")
  }

  /// By frame, the reference's pixels that somebody or a shadow hides.
  var hidden: [RegionMask] {
    let size = plan.camera.size
    return figures.map { people in
      var mask = RegionMask(size: size)
      for figure in people {
        let pixels = plan.camera.pixels(around: figure.bounds)
        for y in pixels.y..<pixels.maxY {
          for x in pixels.x..<pixels.maxX where !mask.isSet[y * size.width + x] {
            let place = plan.camera.place(Point(x: Double(x), y: Double(y)), .identity)
            mask.isSet[y * size.width + x] = figure.covers(place)
          }
        }
      }
      return mask
    }
  }

  /// The share of the reference's pixels that somebody or a shadow hides in half of the frames or more.
  var mostlyHiddenShare: Double {
    let hidden = hidden
    let mostly = (0..<plan.camera.size.area).count { p in 2 * hidden.count { $0.isSet[p] } >= plan.frames }
    return Double(mostly) / Double(plan.camera.size.area)
  }
}
