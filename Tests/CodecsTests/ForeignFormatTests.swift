import Testing

@testable import Codecs

/// Files that are not read are known for what they are.
struct ForeignFormatTests {
  @Test(
    arguments: [
      ("GIF89a", .gif), ("BM6\u{10}\0\0\0\0\0\0", .bmp), ("BMW and others", nil), ("P1 is mine", nil),
      ("P6\n640 480\n255\n", .netpbm), ("Pf 3 2", .netpbm),
      ("\0\0\0\u{C}jP  \r\n", .jpeg2000), ("8BPS\0\u{1}", .photoshop), ("gimp xcf v011", .gimp),
      ("v/1\u{1}", .openEXR), ("#?RADIANCE\n", .radiance), ("SIMPLE  =  T", .fits), ("qoif", .qoi),
      ("\0\0\u{1}\0", .icon), ("%PDF-1.7", .pdf), ("<!DOCTYPE HTML>", .webPage), ("\n <html>", .webPage),
      ("<?xml version=\"1.0\"?>\n<svg xmlns=", .svg), ("PK\u{3}\u{4}", .archive),
      ("\0\0\0\u{18}ftypmp42", .video), (String(repeating: "\0", count: 64), .zeros),
      ("", nil), ("P", nil), ("P66", nil), ("\0\0", nil), ("Hello", nil), ("<?xml version=\"1.0\"?><gpx>", nil),
    ] as [(String, ForeignFormat?)])
  func firstBytesTellTheFormat(head: String, format: ForeignFormat?) {
    let bytes = Array(head.utf8)
    #expect(ForeignFormat.sniff(bytes) == format)
    #expect(ImageFormat.sniff(bytes) == nil)
  }

  @Test func whatIsNoPictureIsCalledByItsName() {
    #expect(throws: CodecError.unrecognized(name: "a", .gif)) { try decode(Array("GIF89a".utf8), name: "a") }
  }
}
