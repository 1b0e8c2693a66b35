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

let cxxFlags = ["-fsanitize=fuzzer-no-link,address"]

let package = Package(
  name: "fuzz",
  dependencies: [.package(url: "https://github.com/apple/swift-system", from: "1.8.1")],
  targets: [
    // Decoders need its types only: one small kernel makes it a target.
    .target(
      name: "CShimKernels", path: "CShim/Kernels", sources: ["boxes.cpp"], cxxSettings: [.unsafeFlags(cxxFlags)]),
    .target(
      name: "CShimLibraries", dependencies: ["CShimKernels"], path: "CShim/Libraries",
      cxxSettings: [.unsafeFlags(cxxFlags)],
      linkerSettings: ["tiff", "jxl", "jxl_threads", "raw", "exiv2"].map { .linkedLibrary($0) }),
    .systemLibrary(name: "CTurboJPEG", path: "Sources/CLibraries/CTurboJPEG"),
    .systemLibrary(name: "CSpng", path: "Sources/CLibraries/CSpng"),
    .systemLibrary(name: "CWebP", path: "Sources/CLibraries/CWebP"),
    .systemLibrary(name: "CHeif", path: "Sources/CLibraries/CHeif"),
    .systemLibrary(name: "CCrypto", path: "Sources/CLibraries/CCrypto"),
    .systemLibrary(name: "CLittleCMS", path: "Sources/CLibraries/CLittleCMS"),
    .target(name: "ShimSupport", dependencies: ["CShimKernels"], swiftSettings: swiftFlags),
    .target(name: "Frames", swiftSettings: swiftFlags),
    .target(
      name: "Codecs",
      dependencies: ["Frames", "CShimLibraries", "ShimSupport", "CTurboJPEG", "CSpng", "CWebP", "CHeif", "CLittleCMS"],
      swiftSettings: swiftFlags),
    .executableTarget(
      name: "FuzzReaders", dependencies: ["CleanPlate"],
      swiftSettings: swiftFlags + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
