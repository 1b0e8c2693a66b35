import Foundation
package import Frames

/// A picture made of layers, as painting programs open it.
package struct LayeredPicture: Sendable {
  /// What the layers make together, without those that are hidden.
  package var merged: Frame
  /// Small, for file managers: at most 256 pixels along a side.
  package var thumbnail: Frame
  /// The topmost first; `merged` lies below them.
  package var groups: [Group]

  /// Layers that belong together.
  package struct Group: Sendable {
    /// For the list of layers.
    package var name: String
    /// The topmost first; all are hidden at first.
    package var layers: [Layer]

    /// Layers under one name.
    package init(name: String, layers: [Layer]) {
      self.name = name
      self.layers = layers
    }
  }

  /// A part of the picture.
  package struct Layer: Sendable {
    /// For the list of layers.
    package var name: String
    /// Where its top left corner lies in the whole, in pixels.
    package var x: Int
    /// Likewise, downwards.
    package var y: Int
    /// Its colours.
    package var picture: Frame
    /// How opaque its pixels are; of the picture's size.
    package var alpha: Plane

    /// A part at a place.
    package init(name: String, x: Int, y: Int, picture: Frame, alpha: Plane) {
      self.name = name
      self.x = x
      self.y = y
      self.picture = picture
      self.alpha = alpha
    }
  }

  /// A picture with layers over it.
  package init(merged: Frame, thumbnail: Frame, groups: [Group]) {
    self.merged = merged
    self.thumbnail = thumbnail
    self.groups = groups
  }
}

extension LayeredPicture {
  /// The picture as an OpenRaster file (.ora), which GIMP, Krita and MyPaint open: the baseline of version 0.0.6
  /// (https://www.openraster.org). The same picture makes the same bytes.
  /// - Parameter options: depth and metadata; pictures are PNG whatever `format` says.
  /// - Throws: `CodecError`.
  package func openRaster(_ options: EncodeOptions) throws(CodecError) -> [UInt8] {
    var options = options
    options.format = .png
    var parts = options
    // What the whole says about itself need not stand in every part.
    parts.strip = true
    var archive = StoredArchive()
    // Must come first, so that programs that look for it at its place find it.
    try archive.add(Array("image/openraster".utf8), as: "mimetype")
    let whole = try encode(merged, options: options)
    try archive.add(whole, as: "mergedimage.png")
    try archive.add(whole, as: "data/plate.png")
    var stack = ""
    for (i, group) in groups.enumerated() {
      stack += "  <stack name=\"\(group.name.inXML)\">\n"
      for (j, layer) in group.layers.enumerated() {
        let file = "data/\(i)-\(j).png"
        try archive.add(encode(layer.picture, alpha: layer.alpha, options: parts), as: file)
        stack +=
          "   <layer name=\"\(layer.name.inXML)\" src=\"\(file)\" x=\"\(layer.x)\" y=\"\(layer.y)\" visibility=\"hidden\"/>\n"
      }
      stack += "  </stack>\n"
    }
    let description = """
      <?xml version="1.0" encoding="UTF-8"?>
      <image version="0.0.6" w="\(merged.size.width)" h="\(merged.size.height)">
       <stack>
      \(stack)  <layer name="plate" src="data/plate.png" x="0" y="0"/>
       </stack>
      </image>

      """
    try archive.add(Array(description.utf8), as: "stack.xml")
    parts.depth = .bits(8)
    try archive.add(encode(thumbnail, options: parts), as: "Thumbnails/thumbnail.png")
    return archive.finished()
  }
}

extension String {
  /// As the value of an attribute; what XML cannot hold is left out.
  fileprivate var inXML: String {
    var result = ""
    for scalar in readableName.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
