import Foundation
import Frames
import TestScenes
import Testing

@testable import CleanPlate

private typealias Scene = TestScenes.Scene

/// Two frames show the crowd that hides most of the scene in the reference, too, a step further on, all of it; others show
/// others before it.
struct SecondLookTests {
  private let size = Size(width: 640, height: 480)
  private let scene = Scene(seed: 11)
  private let crowded: Set = [3, 6]

  /// Who stands in a frame, in scene coordinates.
  private func figures(_ index: Int) -> [Scene.Figure] {
    guard index == 0 || crowded.contains(index) else { return passersBy(index) }
    return Scene.Figure.crowd(movedBy: index == 0 ? Point(x: 0, y: 0) : Point(x: 9, y: 3))
  }

  private func passersBy(_ index: Int) -> [Scene.Figure] {
    (0..<14).map { k in
      let x = 320 + 300 * sin(Double(3 * k + 5 * index))
      let y = 240 + 200 * cos(Double(7 * k + 3 * index))
      return Scene.Figure(x: x, y: y, radius: 60, level: 70 + Double(k * 53 % 60))
    }
  }

  private func report(on photos: [Int]) async throws -> Report {
    let inputs = try photos.map { index in
      Input.frame(
        try scene.photo(
          size, camera: Scene.handheld(index), figures: figures(index), noise: 1, noiseSeed: UInt64(index),
          name: "photo \(index)"))
    }
    let options = try Options(combine: .median, reference: .index(0), crop: .reference)
    return try await makePlate(from: inputs, options: options).report
  }

  /// How far from where a photo was taken its frame is placed, in pixels.
  private func distance(_ frame: Report.FrameReport, from photo: Int) throws -> Double {
    let homography = try #require(frame.homography.flatMap { Homography(elements: $0) })
    return homography.cornerDistance(to: Scene.handheld(photo), size: size)
  }

  @Test func aCrowdInStepDoesNotLeadFramesAway() async throws {
    let report = try await report(on: Array(0..<9))
    #expect(report.frames.allSatisfy { $0.isUnsure == nil })
    for frame in report.frames {
      // Figures have sharper edges than the scene, so that some frames are found to be blurred; where they lie is told.
      let distance = try distance(frame, from: frame.index)
      #expect(distance < 0.3, "photo \(frame.index)")
      #expect(frame.accepted || !crowded.contains(frame.index))
    }
  }

  @Test func fewFramesGetASecondLookBesideTheOthers() async throws {
    let photos = [0, 3, 1, 2]
    let report = try await report(on: photos)
    for (photo, frame) in zip(photos, report.frames) where frame.accepted {
      let distance = try distance(frame, from: photo)
      #expect(distance < 0.003 * Double(size.width) || frame.isUnsure == true, "photo \(photo)")
      #expect(distance < 0.3 || !crowded.contains(photo))
    }
  }

  /// Of so few photos nobody can tell who moved.
  @Test func framesThatACrowdMayHaveLedAwayAreTold() async throws {
    let photos = [0] + crowded.sorted() + [4]
    let report = try await report(on: photos)
    for (photo, frame) in zip(photos, report.frames) where frame.accepted {
      let isWrong = try distance(frame, from: photo) > 0.003 * Double(size.width)
      #expect(isWrong == crowded.contains(photo))
      #expect(isWrong == (frame.isUnsure == true), "photo \(photo)")
    }
    #expect(report.summary.contains("so little that stands still is seen in 2 of them that they may lie wrong"))
  }

  /// Everybody stands where he stood, a step further on, in all frames: those agree with each other.
  private func burst(inStep: Bool) async throws -> (Burst, Options) {
    let inputs = try (0..<6).map { index in
      let step = index == 0 ? Point(x: 0, y: 0) : Point(x: 12, y: 4)
      return Input.frame(
        try scene.photo(
          size, camera: Scene.handheld(index), figures: inStep ? Scene.Figure.crowd(movedBy: step) : [], noise: 1,
          noiseSeed: UInt64(index), name: "photo \(index)"))
    }
    let options = try Options(reference: .index(0), crop: .reference)
    return (try await decode(inputs, options, RunResources(options), RunMonitor { _ in }), options)
  }

  /// Boxes around those who stand in the reference.
  private var boxes: [Region] {
    figures(0).map { Region(x: Int($0.x) - 62, y: Int($0.y) - 62, width: 124, height: 124) }
  }

  @Test func whereDetectedPeopleAreAllThatAgreesItIsTold() async throws {
    let (burst, options) = try await burst(inStep: true)
    let boxes = boxes
    func wrong(_ movers: MoverSearch?) async throws -> (told: Int, untold: Int) {
      let registered = try await register(burst, options, movers: movers, RunMonitor { _ in })
      var (told, untold) = (0, 0)
      for (index, outcome) in registered.outcomes.enumerated() {
        guard let alignment = outcome.value?.alignment else { continue }
        let distance = alignment.homography.cornerDistance(to: Scene.handheld(index), size: size)
        guard distance > 0.003 * Double(size.width) else { continue }
        if alignment.isUnsure { told += 1 } else { untold += 1 }
      }
      return (told, untold)
    }
    let blind = try await wrong(nil)
    #expect(blind.untold > 0)
    let seeing = try await wrong { _, _ in boxes }
    #expect(seeing.untold == 0)
  }

  /// Ten shift their weight, in all frames but the reference.
  private func burstOfSwayers(_ combine: CombineOperator) async throws -> (Burst, Options) {
    let inputs = try (0..<5).map { index in
      let step = index == 0 ? Point(x: 0, y: 0) : Point(x: 3, y: 1)
      let figures = Array(Scene.Figure.crowd(movedBy: step).prefix(10))
      return Input.frame(
        try scene.photo(
          size, camera: Scene.handheld(index), figures: figures, noise: 1, noiseSeed: UInt64(index),
          name: "photo \(index)"))
    }
    let options = try Options(combine: combine, reference: .index(0), crop: .reference)
    return (try await decode(inputs, options, RunResources(options), RunMonitor { _ in }), options)
  }

  @Test(arguments: [CombineOperator.clean, .median]) func whoSwaysIsLookedForWhereADetectorIsLoadedAnyway(
    _ combine: CombineOperator
  ) async throws {
    let (burst, options) = try await burstOfSwayers(combine)
    let asked = Counter()
    _ = try await register(
      burst, options,
      movers: { _, places in
        if places?.isEmpty == false { _ = asked.increment() }
        return []
      }, RunMonitor { _ in })
    #expect(asked.increment() == (combine == .clean ? 2 : 1))
  }

  @Test func nobodyIsLookedForWhereMostAgrees() async throws {
    let (burst, options) = try await burst(inStep: false)
    let registered = try await register(
      burst, options,
      movers: { _, _ in
        Issue.record("looked")
        return []
      }, RunMonitor { _ in })
    #expect(registered.outcomes.allSatisfy { $0.isAccepted && $0.value?.alignment.isUnsure == false })
  }
}
