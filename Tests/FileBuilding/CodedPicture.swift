/// A coded picture as a HEIF file holds it: the decoder's configuration and the data.
public struct CodedPicture: Sendable {
  /// `hvcC` or `av1C`, a whole box.
  public let configuration: [UInt8]
  public let data: [UInt8]
  /// `hvc1` or `av01`.
  public let type: String

  /// Out of a file of one picture and nothing else; nil when there is none.
  public init?(file: [UInt8]) {
    guard let configuration = Self.box("hvcC", in: file) ?? Self.box("av1C", in: file),
      let data = Self.box("mdat", in: file)
    else { return nil }
    self.configuration = configuration
    self.data = Array(data.dropFirst(8))
    type = configuration[4] == UInt8(ascii: "h") ? "hvc1" : "av01"
  }

  /// The brands of files that hold it.
  public var brands: [String] { type == "hvc1" ? ["heic", "mif1"] : ["avif", "mif1"] }

  private static func box(_ type: String, in file: [UInt8]) -> [UInt8]? {
    let name = Array(type.utf8)
    guard let at = file.indices.first(where: { $0 >= 4 && file[$0...].starts(with: name) }) else { return nil }
    let length = file[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
    guard length >= 8, at - 4 + length <= file.count else { return nil }
    return Array(file[at - 4..<at - 4 + length])
  }
}
