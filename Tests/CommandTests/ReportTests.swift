import CleanPlate
import FileBuilding
import Foundation
import Testing

/// Reports against `docs/report.schema.json`.
struct ReportTests {
  let folder: TemporaryFolder
  let schema: JSONSchema

  init() throws {
    folder = try TemporaryFolder()
    let page = URL(fileURLWithPath: #filePath).appending(path: "../../../docs/report.schema.json").standardizedFileURL
    schema = try JSONSchema(try Data(contentsOf: page))
  }

  private func report(_ arguments: [String], status: Int32 = 0) throws -> Data {
    let outcome = try Program.run(arguments + ["--report", "report.json", "-q"], in: folder.url)
    #expect(outcome.status == status, "\(outcome.errors)")
    return try Data(contentsOf: folder.url.appending(path: "report.json"))
  }

  @Test func reportsAreAsTheSchemaSays() throws {
    let files = try Burst.write(4, to: folder)
    try folder.write([7, 7, 7], as: "broken.jpg")
    let all = files + [folder.path("broken.jpg")]
    let runs = [
      all + ["-o", "plate.jpg"],
      all + ["-o", "plate.tif", "--depth", "16", "--combine", "mean", "--crop", "reference"],
      ["align", "-o", "aligned", "--align", "translation", "--mesh", "off"] + all,
      all + ["-o", "plate.png", "--reference", files[1], "--detector", "off", "--accept-damaged"],
    ]
    for arguments in runs {
      let report = try report(arguments)
      let complaints = try schema.complaints(about: report)
      #expect(complaints.isEmpty, "\(arguments): \(complaints)")
      // What stands there comes back, in the same words.
      #expect(try Data(Report(json: Array(report)).json()) == report)
    }
  }

  @Test func whatBreaksTheSchemaIsNoticed() throws {
    let files = try Burst.write(3, to: folder)
    let text = String(decoding: try report(files + ["-o", "plate.jpg"]), as: UTF8.self)
    for (part, other) in [
      (#""version" : 2"#, #""version" : 3"#), (#""accepted" : true"#, #""accepted" : 1"#), (#""index""#, #""Index""#),
      (#""unresolved" : 0"#, #""unresolved" : -1"#), (#""combine" : "clean""#, #""combine" : "dirty""#),
      (#""program" : "cleanplate "#, #""program" : "other "#), (#""homography" : ["#, #""homography" : [ 0, "#),
    ] {
      let broken = text.replacingOccurrences(of: part, with: other)
      #expect(broken != text)
      #expect(try !schema.complaints(about: Data(broken.utf8)).isEmpty, "\(other)")
    }
  }

  /// Version 1 had three keys less and spelled one otherwise.
  @Test func reportsOfVersion1AreRead() throws {
    let files = try Burst.write(3, to: folder)
    let report = try report(files + ["-o", "plate.jpg", "--detector", "off"])
    var object = try #require(try JSONSerialization.jsonObject(with: report) as? [String: Any])
    for key in ["program", "options", "detector"] { object[key] = nil }
    object["unresolvedPlaces"] = object.removeValue(forKey: "unresolved_places")
    object["version"] = 1
    let earlier = try JSONSerialization.data(withJSONObject: object)
    let read = try Report(json: Array(earlier))
    #expect(read.unresolvedPlaces != nil && read.program == nil && read.frames.count == 3)
    try folder.write(Array(earlier), as: "earlier.json")
    let again = try Program.run(
      files + ["-o", "again.jpg", "--alignment", "earlier.json", "--detector", "off"], in: folder.url)
    #expect(again.status == 0, "\(again.errors)")
    for version in [0, 3] {
      object["version"] = version
      let other = try JSONSerialization.data(withJSONObject: object)
      #expect(throws: ReportError.unreadable) { try Report(json: Array(other)) }
    }
  }
}
