import Frames
import SystemPackage
import Testing

/// Names as strings and back.
struct PathTextTests {
  /// A path of these bytes, made without the code under test.
  private func path(_ bytes: [UInt8]) -> FilePath {
    FilePath(platformString: bytes.map { CInterop.PlatformChar(bitPattern: $0) } + [0])
  }

  @Test func unicodeStaysAsItIs() {
    for name in ["a", "-", "é", "日本/语.jpg", "e\u{301}", "\u{10FF7F}"] {
      #expect(FilePath(name).text == name)
      #expect(FilePath(text: name) == FilePath(name))
    }
  }

  @Test(
    arguments: [
      [0x63, 0xE9], [0xE9], [0xFF, 0xFE], [0xC3], [0xC3, 0xA9, 0xE9], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      // What stands for bytes, written as a name.
      [0xF4, 0x8F, 0xBF, 0xA9], [0xE6, 0x97, 0xA5, 0x2F, 0xE6, 0x97],
    ] as [[UInt8]]) func bytesComeBack(bytes: [UInt8])
  {
    let text = path(bytes).text
    #expect(text.nameBytes == bytes)
    #expect(FilePath(text: text) == path(bytes))
    #expect("'\(text)' is left out".nameBytes == Array("'".utf8) + bytes + Array("' is left out".utf8))
  }

  @Test func differentBytesAreDifferentNames() {
    #expect(path([0xE9]).text != path([0xE8]).text)
    #expect(path([0xE9]).text.readableName == "\u{FFFD}")
    #expect("é".readableName == "é")
  }
}
