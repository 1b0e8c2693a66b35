// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The page in a browser, with what serves it. A package of its own, so that neither the library nor the command
/// line builds a web server.
///
/// It borrows the package above it by a symbolic link, whose name stays the same wherever that is cloned to.
let package = Package(
  name: "cleanplate-studio",
  products: [.executable(name: "cleanplate-studio", targets: ["cleanplate-studio"])],
  dependencies: [
    .package(path: "Packages/cleanplate"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    .target(
      name: "StudioServer",
      dependencies: [
        .product(name: "CleanPlate", package: "cleanplate"),
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      resources: [.copy("Page")], swiftSettings: strict),
    .executableTarget(
      name: "cleanplate-studio",
      dependencies: [
        "StudioServer",
        .product(name: "CleanPlate", package: "cleanplate"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/CleanPlateStudio", swiftSettings: strict),
    .testTarget(
      name: "StudioTests",
      dependencies: [
        "StudioServer", .product(name: "CleanPlate", package: "cleanplate"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
