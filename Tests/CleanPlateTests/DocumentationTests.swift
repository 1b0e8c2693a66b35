import Foundation
import Testing

/// What the pages say of the sources holds.
@Suite struct DocumentationTests {
  private static let root = GoldenTests.testData.deletingLastPathComponent()
  private static let pages = [
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "TestData/README.md", "docs/ARCHITECTURE.md", "docs/COMPARED.md",
    "docs/FORMATS.md",
    "docs/PERFORMANCE.md", "docs/SHOOTING.md",
  ]

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  @Test(arguments: pages) func linksLeadSomewhere(page: String) throws {
    let folder = Self.root.appending(path: page).deletingLastPathComponent()
    let links = try text(page).matches(of: /\]\((?<target>[^)#\s]+)[^)]*\)/).map { String($0.target) }
      .filter { !$0.contains("://") }
    for link in links {
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: link).path), "\(page): \(link)")
    }
  }

  /// Blocks that begin with the name of a source file in a comment.
  @Test func quotationsOfTheTourStandInTheSources() throws {
    let blocks = try text("CONTRIBUTING.md").matches(of: /```swift\n\/\/ (?<path>\S+)\n(?<code>(?s:.+?\n))```/)
    #expect(blocks.count >= 5)
    for block in blocks {
      let source = try text(String(block.path))
      #expect(source.contains(String(block.code)), "\(block.path) lacks\n\(block.code)")
    }
  }

  /// What `import CleanPlate` shows of these modules. What a protocol asks for is documented there.
  @Test(arguments: ["CleanPlate", "Codecs", "Frames"]) func publicDeclarationsAreDocumented(module: String) throws {
    let folder = Self.root.appending(path: "Sources/\(module)")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let words = "func|var|let|struct|class|enum|init|typealias|protocol|actor|subscript|static|final|mutating"
    let declaration = try Regex(
      "^ *(@[A-Za-z]+(\\(.*\\))? +)*public (\(words)|private\\(set\\)|package\\(set\\)|nonisolated)\\b")
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      for (index, line) in lines.enumerated() where line.firstMatch(of: declaration) != nil {
        if line.contains("func explanation(naming") { continue }
        let above = lines[..<index].last { !$0.drop { $0 == " " }.hasPrefix("@") } ?? ""
        #expect(above.drop { $0 == " " }.hasPrefix("///"), "\(file.lastPathComponent):\(index + 1): \(line)")
        count += 1
      }
    }
    #expect(count > 50)
  }

  /// What is public in these modules is what `import CleanPlate` shows of them, name by name.
  @Test(arguments: ["Codecs", "Frames"]) func whatIsPublicIsExported(module: String) throws {
    let folder = Self.root.appending(path: "Sources/\(module)")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var declared: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
        if let found = line.firstMatch(of: /^public (?:final )?(?:struct|enum|class|protocol|func|typealias) (\w+)/) {
          declared.insert(String(found.output.1))
        }
      }
    }
    let exported = try text("Sources/CleanPlate/Exports.swift").matches(of: /public import \w+ (\w+)\.(\w+)/)
      .filter { $0.output.1 == module }.map { String($0.output.2) }
    #expect(Set(exported) == declared && exported.count > 10)
  }

  /// What the drawings name in words.
  @Test func filesOfTheDrawingExist() throws {
    let drawing = try text("docs/ARCHITECTURE.md")
    let named = drawing.matches(of: /(?:Sources|CShim|Scripts|Tests)\/[A-Za-z0-9\/+-]+(?:\.[a-z]+)?/).map {
      String($0.output)
    }
    #expect(named.count > 10)
    for path in named {
      #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: path).path), "\(path)")
    }
  }
}
