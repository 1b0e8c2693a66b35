import Frames
import Testing

@testable import Registration

@Suite struct CameraTurns {
  /// A phone's widest lens has a focal length of .36 widths; zooms bend a turn further.
  @Test(arguments: [
    (10.0, 0.0, 0.36, 1.0), (-10, 0, 0.36, 1), (0, 11, 0.42, 1), (7, 5, 0.42, 1), (13, 3, 0.72, 1), (9, 0, 0.72, 1.25),
  ])
  func aTurnIsWhatACameraDoesWhateverItsLens(yaw: Double, pitch: Double, focal: Double, zoom: Double) throws {
    let centre = Scenes.size.centre
    let zoomed = Homography(1 / zoom, 0, centre.x * (1 - 1 / zoom), 0, 1 / zoom, centre.y * (1 - 1 / zoom), 0, 0)
    let truth = composed(turned(yaw: yaw, pitch: pitch, roll: 2, focal: focal), zoomed)
    let why = MotionLimits().rejection(of: truth, frame: Scenes.size, reference: Scenes.size)
    #expect(why == nil)
    let alignment = try registered(Shot(truth), of: Scenes.textured(seed: 33))
    #expect(alignment.isAccepted)
    #expect(alignment.homography.cornerDistance(to: truth, size: Scenes.size) < 0.2)
  }

  @Test func aTurnThatLeadsTooFarAwayIsSaidToDoSo() {
    for (yaw, focal) in [(18.0, 0.72), (-18, 0.72), (16, 0.36)] {
      let truth = turned(yaw: yaw, focal: focal)
      let why = MotionLimits().rejection(of: truth, frame: Scenes.size, reference: Scenes.size)
      guard case .tooFarAway = why else {
        Issue.record("\(yaw) degrees, \(focal): \(String(describing: why))")
        continue
      }
    }
  }

  @Test(arguments: [1.8, 0.5])
  func aZoomIsCalledOne(zoom: Double) {
    let centre = Scenes.size.centre
    let zoomed = Homography(1 / zoom, 0, centre.x * (1 - 1 / zoom), 0, 1 / zoom, centre.y * (1 - 1 / zoom), 0, 0)
    let truth = composed(turned(yaw: 3, roll: 1), zoomed)
    let why = MotionLimits().rejection(of: truth, frame: Scenes.size, reference: Scenes.size)
    guard case .zoomed(let factor, _) = why else {
      Issue.record("\(String(describing: why))")
      return
    }
    #expect(abs(factor / zoom - 1) < 0.05)
  }

  /// A bend that is not the one of its shift is none of a camera that turned.
  @Test func aBendTheOtherWayIsNoTurn() {
    let centre = Scenes.size.centre
    let toCentre = Homography.translation(x: -centre.x, y: -centre.y)
    for shift in [(60.0, 0.0), (0.0, 60.0)] {
      let bent = Homography(1, 0, shift.0, 0, 1, shift.1, 0.0008, 0)
      let map = composed(.translation(x: centre.x, y: centre.y), composed(bent, toCentre))
      let why = MotionLimits().rejection(of: map, frame: Scenes.size, reference: Scenes.size)
      #expect(why == .implausibleGeometry)
    }
  }
}
