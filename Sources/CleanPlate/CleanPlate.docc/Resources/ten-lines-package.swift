// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "plates",
  dependencies: [.package(path: "../cleanplate")],
  targets: [
    .executableTarget(name: "plates", dependencies: [.product(name: "CleanPlate", package: "cleanplate")])
  ]
)
