import FileBuilding
import Foundation
import Testing

/// `Scripts/run`, with stand-ins for the programs that it calls.
struct RunScriptTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Array(try Data(contentsOf: Script.folder.appending(path: "run"))), as: "Scripts/run")
    for (name, text) in [
      ("Scripts/bootstrap", "exit 0"), ("Scripts/fetch-detector", "exit 0"),
      ("bin/swift", "case $* in *--show-bin-path) echo \(folder.path("built")) ;; esac"),
      ("built/cleanplate", "printf '<%s>' \"$@\""),
    ] { try folder.writeProgram(text, as: name) }
  }

  @Test(arguments: [
    (["rank_photos/1.jpg", "align.jpg"], "<-o><plate.jpg><rank_photos/1.jpg><align.jpg>"),
    (["helpers", "--every", "0.5s"], "<-o><plate.jpg><helpers><--every><0.5s>"),
    (["photos", "rank"], "<-o><plate.jpg><photos><rank>"),
    (["--", "-o", "--help"], "<-o><plate.jpg><--><-o><--help>"),
    (["a b.jpg", "-open.jpg"], "<-o><plate.jpg><a b.jpg><-open.jpg>"),
    (["rank", "photos"], "<rank><photos>"), (["help", "plate"], "<help><plate>"), (["--version"], "<--version>"),
    (["photos", "-o", "p.png"], "<photos><-o><p.png>"), (["photos", "--output=p.png"], "<photos><--output=p.png>"),
  ]) func commandsAreWholeWords(arguments: [String], expected: String) throws {
    let result = try Script.run(folder.path("Scripts/run"), arguments, tools: folder.path("bin") + ":/usr/bin:/bin")
    #expect(result.output == expected)
  }
}
