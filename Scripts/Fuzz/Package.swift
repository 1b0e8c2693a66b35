// swift-tools-version: 6.2
import PackageDescription

/// What reads files, for fuzzing: `Scripts/fuzz` builds this package with libFuzzer and sanitizers. It borrows the
/// sources of the package above it by symbolic links.
///
/// The flags stand here because `swift build` hands several `--sanitize` options over in no certain order, and the
/// compiler takes the last.
let swiftFlags: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])]

let libraries =
  ["core", "imgproc", "features2d", "calib3d", "dnn"].map { "opencv_\($0)" }
  + ["tiff", "jxl", "jxl_threads", "raw", "exiv2"]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "fuzz",
  dependencies: [.package(url: "https://github.com/apple/swift-system", from: "1.8.1")],
  targets: [
    .target(
      name: "CShim", path: "CShim",
      cxxSettings: [
        .unsafeFlags(["-I/usr/include/opencv4", "-ffp-contract=off", "-fsanitize=fuzzer-no-link,address"])
      ],
      linkerSettings: libraries.map { .linkedLibrary($0) }),
    .systemLibrary(name: "CTurboJPEG", path: "Sources/CLibraries/CTurboJPEG"),
    .systemLibrary(name: "CSpng", path: "Sources/CLibraries/CSpng"),
    .systemLibrary(name: "CWebP", path: "Sources/CLibraries/CWebP"),
    .systemLibrary(name: "CHeif", path: "Sources/CLibraries/CHeif"),
    .systemLibrary(name: "CCrypto", path: "Sources/CLibraries/CCrypto"),
    .systemLibrary(name: "CLittleCMS", path: "Sources/CLibraries/CLittleCMS"),
    .target(name: "ShimSupport", dependencies: ["CShim"], swiftSettings: swiftFlags),
    .target(name: "Frames", dependencies: [system], swiftSettings: swiftFlags),
    .target(
      name: "Codecs",
      dependencies: ["Frames", "CShim", "ShimSupport", "CTurboJPEG", "CSpng", "CWebP", "CHeif", "CLittleCMS", system],
      swiftSettings: swiftFlags),
    .target(name: "Registration", dependencies: ["Frames", "CShim", "ShimSupport"], swiftSettings: swiftFlags),
    .target(name: "Warping", dependencies: ["Frames", "CShim", "ShimSupport"], swiftSettings: swiftFlags),
    .target(name: "Selection", dependencies: ["Frames", "Warping", "CShim", "ShimSupport"], swiftSettings: swiftFlags),
    .target(name: "Stacking", dependencies: ["Frames", "Warping", "CShim"], swiftSettings: swiftFlags),
    .target(
      name: "CleanPlate",
      dependencies: ["CCrypto", "Codecs", "Registration", "Selection", "Stacking", "Warping", "Frames"],
      swiftSettings: swiftFlags),
    .executableTarget(
      name: "FuzzReaders", dependencies: ["CleanPlate"],
      swiftSettings: swiftFlags + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
