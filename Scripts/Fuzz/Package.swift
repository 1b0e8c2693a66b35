// swift-tools-version: 6.2
import PackageDescription

/// What reads files, for fuzzing: `Scripts/fuzz` builds this package with libFuzzer and sanitizers. It borrows the
/// sources of the package above it by symbolic links.
///
/// The flags stand here because `swift build` hands several `--sanitize` options over in no certain order, and the
/// compiler takes the last.
let swiftFlags: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])]

let closedFlags = swiftFlags + [.enableUpcomingFeature("InternalImportsByDefault")]

let cxxFlags = ["-ffp-contract=off", "-fsanitize=fuzzer-no-link,address"]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "fuzz",
  dependencies: [.package(url: "https://github.com/apple/swift-system", from: "1.8.1")],
  targets: [
    .target(name: "CShimKernels", path: "CShim/Kernels", cxxSettings: [.unsafeFlags(cxxFlags)]),
    .target(
      name: "CShimOpenCV", dependencies: ["CShimKernels"], path: "CShim/OpenCV",
      cxxSettings: [.unsafeFlags(cxxFlags + ["-isystem", "/usr/include/opencv4"])],
      linkerSettings: ["core", "imgproc", "features2d", "calib3d"].map { .linkedLibrary("opencv_\($0)") }),
    .target(
      name: "CShimOneDNN", dependencies: ["CShimKernels"], path: "CShim/OneDNN",
      cxxSettings: [.unsafeFlags(cxxFlags)], linkerSettings: ["dnnl", "gomp"].map { .linkedLibrary($0) }),
    .target(
      name: "CShimLibraries", dependencies: ["CShimKernels"], path: "CShim/Libraries",
      cxxSettings: [.unsafeFlags(cxxFlags)],
      linkerSettings: ["raw", "exiv2"].map { .linkedLibrary($0) }),
    .systemLibrary(name: "CTurboJPEG", path: "Sources/CLibraries/CTurboJPEG"),
    .systemLibrary(name: "CSpng", path: "Sources/CLibraries/CSpng"),
    .systemLibrary(name: "CZlib", path: "Sources/CLibraries/CZlib"),
    .systemLibrary(name: "CWebP", path: "Sources/CLibraries/CWebP"),
    .systemLibrary(name: "CHeif", path: "Sources/CLibraries/CHeif"),
    .systemLibrary(name: "CTIFF", path: "Sources/CLibraries/CTIFF"),
    .systemLibrary(name: "CJXL", path: "Sources/CLibraries/CJXL"),
    .systemLibrary(name: "CCrypto", path: "Sources/CLibraries/CCrypto"),
    .systemLibrary(name: "CLittleCMS", path: "Sources/CLibraries/CLittleCMS"),
    .target(name: "ShimSupport", dependencies: ["CShimKernels"], swiftSettings: swiftFlags),
    .target(name: "Frames", dependencies: [system], swiftSettings: swiftFlags),
    .target(
      name: "Codecs",
      dependencies: [
        "Frames", "Resampling", "CShimLibraries", "ShimSupport", "CTurboJPEG", "CSpng", "CZlib", "CTIFF", "CWebP",
        "CHeif", "CJXL", "CLittleCMS",
        system,
      ],
      swiftSettings: swiftFlags),
    .target(
      name: "Registration", dependencies: ["Frames", "Resampling", "CShimKernels", "CShimOpenCV", "ShimSupport"],
      swiftSettings: closedFlags),
    .target(name: "Resampling", dependencies: ["Frames", "CShimKernels"], swiftSettings: closedFlags),
    .target(name: "Clipping", dependencies: ["Frames", "Resampling", "CShimKernels"], swiftSettings: closedFlags),
    .target(name: "Medians", dependencies: ["Frames", "CShimKernels"], swiftSettings: closedFlags),
    .target(
      name: "Selection",
      dependencies: [
        "Clipping", "Frames", "Medians", "Resampling", "CShimKernels", "CShimOneDNN", "CShimOpenCV", "ShimSupport",
      ],
      swiftSettings: closedFlags),
    .target(
      name: "Stacking", dependencies: ["Clipping", "Frames", "Medians", "Resampling", "CShimKernels"],
      swiftSettings: closedFlags),
    .target(name: "Cutout", dependencies: ["Frames", "Resampling"], swiftSettings: closedFlags),
    .target(
      name: "CleanPlate",
      dependencies: [
        "CCrypto", "Codecs", "Cutout", "Registration", "Selection", "Stacking", "Resampling", "ShimSupport", "Frames",
        system,
      ],
      swiftSettings: closedFlags),
    .executableTarget(
      name: "FuzzReaders", dependencies: ["CleanPlate", system],
      swiftSettings: swiftFlags + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
