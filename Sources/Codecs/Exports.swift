// Files are named by `FilePath`.
@_exported public import SystemPackage
