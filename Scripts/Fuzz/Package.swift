// swift-tools-version: 6.2
import PackageDescription

/// The decoders alone, for fuzzing: `Scripts/fuzz` builds this package with libFuzzer and sanitizers. It borrows the
/// sources of the package above it by symbolic links, so that nothing but the decoders is built.
///
/// The flags stand here because `swift build` hands several `--sanitize` options over in no certain order, and the
/// compiler takes the last.
let swiftFlags: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "fuzz",
  dependencies: [.package(url: "https://github.com/apple/swift-system", from: "1.8.1")],
  targets: [
    .target(
      name: "CShim", path: "CShim",
      sources: [
        "buffer.cpp", "metadata.cpp", "status.cpp", "tiffmemory.cpp", "tiffread.cpp", "tiffwrite.cpp", "jxlread.cpp",
        "jxlwrite.cpp", "raw.cpp",
      ],
      cxxSettings: [.unsafeFlags(["-I/usr/include/opencv4", "-fsanitize=fuzzer-no-link,address"])],
      linkerSettings: ["opencv_core", "tiff", "jxl", "jxl_threads", "raw", "exiv2"].map { .linkedLibrary($0) }),
    .systemLibrary(name: "CTurboJPEG", path: "Sources/CLibraries/CTurboJPEG"),
    .systemLibrary(name: "CSpng", path: "Sources/CLibraries/CSpng"),
    .systemLibrary(name: "CWebP", path: "Sources/CLibraries/CWebP"),
    .systemLibrary(name: "CHeif", path: "Sources/CLibraries/CHeif"),
    .systemLibrary(name: "CLittleCMS", path: "Sources/CLibraries/CLittleCMS"),
    .target(name: "ShimSupport", dependencies: ["CShim"], swiftSettings: swiftFlags),
    .target(name: "Frames", dependencies: [system], swiftSettings: swiftFlags),
    .target(
      name: "Codecs",
      dependencies: ["Frames", "CShim", "ShimSupport", "CTurboJPEG", "CSpng", "CWebP", "CHeif", "CLittleCMS", system],
      swiftSettings: swiftFlags),
    .executableTarget(
      name: "FuzzDecoders", dependencies: ["Codecs"], swiftSettings: swiftFlags + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
