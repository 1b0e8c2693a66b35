import CleanPlate
import Foundation
import Testing

/// What programs that use the library can show of its errors.
struct ErrorWordsTests {
  @Test(
    arguments: [
      (PlateError.tooFewInputs(1), "at least 2 pictures", "Add more."),
      (
        PlateError.tooFewGoodFrames(
          accepted: 1, rejected: [PlateError.LeftOut(index: 1, name: "b.jpg", reason: .tooFaint)]),
        "Only 1 of 2 pictures", "stands still can be seen: include something with edges"
      ),
      (
        PlateError.tooFewGoodFrames(
          accepted: 1,
          rejected: [
            PlateError.LeftOut(index: 1, name: "b.jpg", reason: .repeating),
            PlateError.LeftOut(index: 2, name: "c.jpg", reason: .tooFarAway(share: 1, limit: 0.4)),
            PlateError.LeftOut(index: 3, name: "d.jpg", reason: .repeating),
          ]),
        "Only 1 of 4 pictures", "include something that does not"
      ),
      (
        PlateError.tooFewGoodFrames(
          accepted: 1, rejected: [PlateError.LeftOut(index: 1, name: "b.jpg", reason: .upsideDown)]),
        "Only 1 of 2 pictures", "Turn the pictures"
      ),
      (
        PlateError.tooFewGoodFrames(
          accepted: 1,
          rejected: [PlateError.LeftOut(index: 1, name: "b.jpg", reason: .differentColours(strength: 0.1))]),
        "Only 1 of 2 pictures", "pictures of one kind"
      ),
      (
        PlateError.tooFewGoodFrames(
          accepted: 1, rejected: [PlateError.LeftOut(index: 1, name: "b.jpg", reason: .zoomed(factor: 2, limit: 1.6))]),
        "Only 1 of 2 pictures", "at one zoom"
      ),
      (PlateError.referenceOutOfRange(index: 7, count: 2), "reference 7: the burst has frames 0 to 1.", nil),
      (PlateError.detectorUnusable(path: "net.weights", reason: "no"), "'net.weights'", "detector off"),
      (
        PlateError.detectorUnreadable(.cannotRead(path: "net.weights", errno: ENOENT)),
        "'net.weights': it cannot be read (No such", "Check the name of detector"
      ),
      (OptionError.threads(0), "threads takes a number from 1 to 1024, not 0.", nil),
      (BurstError.missing("a.jpg"), "'a.jpg' does not exist.", "Check the name."),
      (BurstError.special("a", .pipe), "'a' is a pipe, not a file.", "standard input"),
      (EditError.nobodyElse, "stands in every frame", "Nothing is known"),
      (EditError.tooManyFrames(most: 23), "more than 23 frames", "fewer"),
      (
        ReportError.otherReference(wanted: "b.jpg", report: "a.jpg"), "drawn in 'a.jpg', not in 'b.jpg'",
        "register anew"
      ),
      (ReportError.noReference(index: 3), "frame 3, cannot be read", "Register anew."),
      (CodecError.empty(name: "a.jpg"), "'a.jpg' cannot be used: the file is empty.", nil),
      (
        FileError.cannotRead(path: "a.jpg", errno: ENOENT), "'a.jpg': it cannot be read (No such file", "Check the name"
      ),
      (AllocationError.outOfMemory(bytes: 5 << 20), "Out of memory: 6 MiB", "memory"),
      (
        BurstError.unreadableFolder("a", .cannotRead(path: "a", errno: EACCES)), "'a': it cannot be read (Perm", "Check"
      ),
      (BurstError.unreadableFolder("a", .cannotRead(path: "a", errno: EIO)), "'a': it cannot be read (Input", nil),
    ] as [(any Error, String, String?)])
  func errorsHaveWords(error: any Error, problem: String, advice: String?) throws {
    #expect(error.localizedDescription.contains(problem), "\(error.localizedDescription)")
    let suggestion = (error as? any LocalizedError)?.recoverySuggestion
    #expect(suggestion.map { advice.map($0.contains) ?? false } ?? (advice == nil), "\(suggestion ?? "nothing")")
    #expect(!error.localizedDescription.contains("--"), "options have other names in programs")
  }

  @Test func zoomsAreTold() {
    #expect(Rejection.zoomed(factor: 2, limit: 1.6).words == "it is zoomed in 2.0 times (at most 1.6 times)")
    #expect(Rejection.zoomed(factor: 0.4, limit: 1.6).words == "it is zoomed out 2.5 times (at most 1.6 times)")
  }

  @Test func whatPassesALimitIsNotCalledTheLimit() {
    #expect(Rejection.zoomed(factor: 1.62, limit: 1.6).words == "it is zoomed in 1.7 times (at most 1.6 times)")
    #expect(Rejection.blurred(share: 0.497, limit: 0.5).words.contains("sharpness 49 % of the burst's, at least 50 %"))
    #expect(Rejection.tooFarAway(share: 0.602, limit: 0.6).words.contains("61 % of the width, at most 60 %"))
  }

  @Test func namesAreReadable() {
    let name = String(nameBytes: [0x63, 0xE9])
    #expect(CodecError.empty(name: name).localizedDescription.contains("'c\u{FFFD}'"))
  }

  /// What no picture has a pixel for is named all the same.
  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, 1e19]) func anyPointHasWords(_ x: Double) {
    let words = EditError.outside(Point(x: x, y: 7.9), reference: Size(width: 10, height: 10)).explanation { $0 }.text
    #expect(words.hasPrefix("\(x),7 lies outside"), "\(words)")
  }
}
