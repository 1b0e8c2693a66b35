import Foundation
import Hummingbird

/// The page's files, read once: addresses are looked up among them and never become paths.
struct PageFiles: Sendable {
  private let files: [String: (bytes: [UInt8], type: String)]

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml", "webmanifest": "application/manifest+json", "png": "image/png",
  ]

  init() throws {
    guard let folder = Bundle.module.url(forResource: "Page", withExtension: nil) else {
      throw CocoaError(.fileNoSuchFile)
    }
    var files: [String: (bytes: [UInt8], type: String)] = [:]
    for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      guard let type = Self.types[url.pathExtension] else { continue }
      files["/" + url.lastPathComponent] = ([UInt8](try Data(contentsOf: url)), type)
    }
    files["/"] = files["/index.html"]
    self.files = files
  }

  func add(to router: Router<some RequestContext>) {
    for (path, file) in files {
      router.get(RouterPath(path)) { _, _ in Response.bytes(file.bytes, type: file.type) }
    }
  }

  /// Of all, in bytes.
  var byteCount: Int { files.filter { $0.key != "/" }.values.reduce(0) { $0 + $1.bytes.count } }
}
