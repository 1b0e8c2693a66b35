import FileBuilding
import Foundation
import Testing

/// What scripts say of themselves instead of beginning with their work.
struct ScriptUsageTests {
  /// Holds nothing that a script could do its work with.
  let tools: TemporaryFolder

  init() throws {
    tools = try TemporaryFolder()
    for tool in ["dirname", "sed"] {
      try FileManager.default.createSymbolicLink(
        at: tools.url.appending(path: tool), withDestinationURL: URL(fileURLWithPath: "/usr/bin/\(tool)"))
    }
  }

  private func run(_ name: String, _ argument: String) throws -> Script.Result {
    try Script.run(Script.folder.appending(path: name).path, [argument], tools: tools.url.path)
  }

  @Test(arguments: [
    "bootstrap", "docs", "fetch-detector", "format", "fuzz", "kernels-on-arm", "package", "record-goldens",
    "render-readme-pictures", "sweep", "test", "test-package", "test-studio",
  ]) func helpIsWhatStandsAtTheTop(name: String) throws {
    let top = try String(contentsOf: Script.folder.appending(path: name), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).dropFirst().prefix { $0.hasPrefix("#") }
    let result = try run(name, "--help")
    #expect(result.status == 0 && result.errors.isEmpty && !top.isEmpty)
    #expect(result.output == top.map { $0.dropFirst(2) + "\n" }.joined())
  }

  @Test(arguments: [
    "bootstrap", "fetch-detector", "format", "kernels-on-arm", "record-goldens", "render-readme-pictures", "sweep",
  ]) func whatIsNoOptionIsRefused(name: String) throws {
    let result = try run(name, "--hlep")
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.hasPrefix("error: `--hlep` is no option of "))
  }
}
