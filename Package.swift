// swift-tools-version: 6.2
import PackageDescription

/// The OpenCV modules that CShimOpenCV calls, by name: `pkgConfig: "opencv4"` would link every contrib module,
/// and imgcodecs and videoio alone pull in hundreds of libraries.
let openCVModules = ["core", "imgproc", "features2d", "calib3d"]

/// oneDNN, which computes the detector's networks, and OpenMP, which it works with.
let oneDNN = ["dnnl", "gomp"]

/// Debug builds of pixel kernels are unusably slow, so they are always optimised.
let alwaysOptimised: SwiftSetting = .unsafeFlags(["-O"], .when(configuration: .debug))

/// Paths that need not be UTF-8.
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Says of every import whether it shows in the target's own declarations.
let closed: [SwiftSetting] = strict + [.enableUpcomingFeature("InternalImportsByDefault")]

/// Sums are the same on every processor only without fused multiply-adds.
let cxxSettings: [CXXSetting] = [
  .unsafeFlags(["-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]),
  .unsafeFlags(["-O2"], .when(configuration: .debug)),
]

let package = Package(
  name: "cleanplate",
  products: [
    .executable(name: "cleanplate", targets: ["CleanPlateCLI"]),
    .library(name: "CleanPlate", targets: ["CleanPlate"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .target(
      name: "CShimKernels", path: "CShim/Kernels", cxxSettings: cxxSettings + [.unsafeFlags(["-fno-exceptions"])]),
    .target(
      name: "CShimOpenCV", dependencies: ["CShimKernels"], path: "CShim/OpenCV",
      cxxSettings: cxxSettings + [.unsafeFlags(["-isystem", "/usr/include/opencv4"])],
      linkerSettings: openCVModules.map { .linkedLibrary("opencv_\($0)") }),
    .target(
      name: "CShimOneDNN", dependencies: ["CShimKernels"], path: "CShim/OneDNN", cxxSettings: cxxSettings,
      linkerSettings: oneDNN.map { .linkedLibrary($0) }),
    .target(
      name: "CShimLibraries", dependencies: ["CShimKernels"], path: "CShim/Libraries", cxxSettings: cxxSettings,
      linkerSettings: ["raw", "exiv2"].map { .linkedLibrary($0) }),
    .systemLibrary(name: "CTurboJPEG", path: "Sources/CLibraries/CTurboJPEG"),
    .systemLibrary(name: "CSpng", path: "Sources/CLibraries/CSpng"),
    .systemLibrary(name: "CZlib", path: "Sources/CLibraries/CZlib"),
    .systemLibrary(name: "CWebP", path: "Sources/CLibraries/CWebP"),
    .systemLibrary(name: "CHeif", path: "Sources/CLibraries/CHeif"),
    .systemLibrary(name: "CTIFF", path: "Sources/CLibraries/CTIFF"),
    .systemLibrary(name: "CJXL", path: "Sources/CLibraries/CJXL"),
    .systemLibrary(name: "CAllocator", path: "Sources/CLibraries/CAllocator"),
    .systemLibrary(name: "CCrypto", path: "Sources/CLibraries/CCrypto"),
    .systemLibrary(name: "CLittleCMS", path: "Sources/CLibraries/CLittleCMS"),
    .target(name: "ShimSupport", dependencies: ["CShimKernels"], swiftSettings: strict),
    .target(name: "Frames", dependencies: [system], swiftSettings: strict + [alwaysOptimised]),
    .target(
      name: "Codecs",
      dependencies: [
        "Frames", "Resampling", "CShimLibraries", "ShimSupport", "CTurboJPEG", "CSpng", "CZlib", "CTIFF", "CWebP",
        "CHeif", "CJXL", "CLittleCMS",
        system,
      ], swiftSettings: strict + [alwaysOptimised]),
    .target(
      name: "Registration", dependencies: ["Frames", "Resampling", "CShimKernels", "CShimOpenCV", "ShimSupport"],
      swiftSettings: closed + [alwaysOptimised]),
    .target(name: "Resampling", dependencies: ["Frames", "CShimKernels"], swiftSettings: closed + [alwaysOptimised]),
    .target(
      name: "Clipping", dependencies: ["Frames", "Resampling", "CShimKernels"],
      swiftSettings: closed + [alwaysOptimised]),
    .target(name: "Medians", dependencies: ["Frames", "CShimKernels"], swiftSettings: closed + [alwaysOptimised]),
    .target(
      name: "Selection",
      dependencies: [
        "Clipping", "Frames", "Medians", "Resampling", "CShimKernels", "CShimOneDNN", "CShimOpenCV", "ShimSupport",
      ],
      swiftSettings: closed + [alwaysOptimised]),
    .target(
      name: "Stacking", dependencies: ["Clipping", "Frames", "Medians", "Resampling", "CShimKernels"],
      swiftSettings: closed + [alwaysOptimised]),
    .target(name: "Cutout", dependencies: ["Frames", "Resampling"], swiftSettings: closed + [alwaysOptimised]),
    .target(name: "Comparison", dependencies: ["Frames", "Codecs"], swiftSettings: closed + [alwaysOptimised]),
    .target(
      name: "CleanPlate",
      dependencies: [
        "CCrypto", "Codecs", "Cutout", "Registration", "Selection", "Stacking", "Resampling", "ShimSupport", "Frames",
        system,
      ],
      swiftSettings: closed),
    .executableTarget(
      name: "CleanPlateCLI",
      dependencies: [
        "CAllocator", "CleanPlate", "Codecs", "Comparison", "Frames", "ShimSupport", system,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .target(name: "NetworkGenerator", path: "Scripts/NetworkGenerator", swiftSettings: strict + [alwaysOptimised]),
    .executableTarget(
      name: "GenerateNetworks", dependencies: ["NetworkGenerator"], path: "Scripts/GenerateNetworks",
      swiftSettings: strict),
    .executableTarget(
      name: "MakeFuzzSeeds", dependencies: ["Codecs", "FileBuilding", "Frames"], path: "Scripts/MakeFuzzSeeds",
      swiftSettings: strict),
    .executableTarget(
      name: "SeededRace", dependencies: ["Frames"], path: "Scripts/SeededRace", swiftSettings: strict),
    .executableTarget(
      name: "MeasureKernels",
      dependencies: ["CleanPlate", "Frames", "Codecs", "Medians", "Stacking", "Resampling", "CTurboJPEG", system],
      path: "Scripts/MeasureKernels", swiftSettings: strict + [alwaysOptimised]),
    .executableTarget(
      name: "RenderTestData", dependencies: ["CleanPlate", "Frames", "Codecs", "TestScenes", system],
      path: "Scripts/RenderTestData",
      swiftSettings: strict + [alwaysOptimised]),
    .testTarget(name: "FramesTests", dependencies: ["Frames", system], swiftSettings: strict),
    .target(name: "FileBuilding", path: "Tests/FileBuilding", swiftSettings: strict),
    .testTarget(
      name: "CodecsTests", dependencies: ["Codecs", "CHeif", "FileBuilding", system],
      swiftSettings: strict + [alwaysOptimised]),
    .testTarget(
      name: "RegistrationTests", dependencies: ["Registration", "Codecs", "Resampling", system],
      swiftSettings: strict + [alwaysOptimised]),
    .testTarget(name: "CutoutTests", dependencies: ["Cutout"], swiftSettings: strict + [alwaysOptimised]),
    .testTarget(
      name: "SelectionTests", dependencies: ["FileBuilding", "Selection", "CShimOpenCV"],
      swiftSettings: strict + [alwaysOptimised]),
    .testTarget(
      name: "MediansTests", dependencies: ["Medians", "NetworkGenerator"], swiftSettings: strict + [alwaysOptimised]),
    .testTarget(
      name: "StackingTests", dependencies: ["Stacking", "CShimKernels"],
      swiftSettings: strict + [alwaysOptimised]),
    .testTarget(name: "ComparisonTests", dependencies: ["Comparison"], swiftSettings: strict),
    .testTarget(
      name: "CleanPlateTests",
      dependencies: ["CleanPlate", "Codecs", "Comparison", "FileBuilding", "TestScenes", "Resampling", system],
      swiftSettings: strict + [alwaysOptimised]),
    .target(
      name: "TestScenes", dependencies: ["Codecs", "Frames"], path: "Tests/TestScenes",
      swiftSettings: strict + [alwaysOptimised]),
    .testTarget(
      name: "CommandTests",
      dependencies: ["CleanPlateCLI", "CleanPlate", "Codecs", "FileBuilding", "Frames", "TestScenes", system],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// SwiftPM compiles a target anew when what it declares has changed. A type that lies within another's is laid out in the
// declared module's users as well, and nothing tells them that its own has grown: old code then writes past its end
// (swiftlang/swift-package-manager#10502). So every target declares what its dependencies do.
let declared = Dictionary(
  uniqueKeysWithValues: package.targets.map { target in
    (target.name, target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } })
  })

/// The package's targets that one depends on, be it by others.
func reached(from target: String) -> Set<String> {
  declared[target, default: []].reduce(into: []) { names, name in names.formUnion([name] + reached(from: name)) }
}

for target in package.targets {
  let further = reached(from: target.name).subtracting(declared[target.name, default: []])
  target.dependencies += further.sorted().map { .byName(name: $0) }
}

// `CLEANPLATE_DOCC=1 swift package generate-documentation --target CleanPlate`; what makes pages only is not fetched for others.
if Context.environment["CLEANPLATE_DOCC"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
