import CleanPlate
import Foundation
import Hummingbird

/// The plate: its tiles, what was decided, edits, and what can be taken away.
struct PlateRoutes<Context: RequestContext>: Sendable {
  let session: StudioSession

  /// Pixels of a tile's side on the screen.
  static var tile: Int { 512 }

  func add(to one: RouterGroup<Context>) {
    one.get("tile") { request, _ in try await tile(request, try await desk) }
    one.get("version") { request, _ in try await version(request, try await desk) }
    one.get("overlay.png") { _, _ in try await overlay(try await desk) }
    one.post("edits") { request, _ in
      let item = try await request.wholeBody(session.limits.documentBytes)
      let wrapped = Array("{\"version\":1,\"edits\":[".utf8) + item + Array("]}".utf8)
      guard let edit = try edits(wrapped).list.first else { throw Refusal(.badRequest, "An edit is missing.") }
      return try Response.json(await session.change(.add(edit)))
    }
    one.put("edits") { request, _ in
      let bytes = try await request.wholeBody(session.limits.documentBytes)
      return try Response.json(await session.change(.replace(try edits(bytes))))
    }
    one.post("undo") { _, _ in try Response.json(await session.change(.undo)) }
    one.post("redo") { _, _ in try Response.json(await session.change(.redo)) }
    one.get("edits.json") { _, _ in
      Response.bytes(try await session.editsFile(shown: true), type: "application/json", saveAs: "edits.json")
    }
    one.get("report.json") { _, _ in
      guard let report = await session.report else { throw Self.noPlate }
      return Response.bytes(try report.json(), type: "application/json", saveAs: "report.json")
    }
    one.get("plate") { request, _ in try await plate(request) }
    one.get("aligned.tar") { _, _ in try await alignedFrames(try await desk) }
  }

  private var desk: EditablePlate {
    get async throws {
      guard let desk = await session.desk else { throw Self.noPlate }
      return desk
    }
  }

  private static var noPlate: Refusal { Refusal(.notFound, "There is no plate yet.", "Make it first.") }

  private func edits(_ bytes: [UInt8]) throws -> PlateEdits {
    do {
      return try PlateEdits(json: bytes, mask: noMask)
    } catch let error as EditsFileError {
      let problem = SessionState.Problem(error)
      throw Refusal(.unprocessableContent, problem.problem, problem.advice)
    }
  }

  /// A square of the plate, or of a registered frame: column `x` and row `y` of squares of 512 pixels, of which each is
  /// `1 << level` pixels of the reference along each axis.
  private func tile(_ request: Request, _ desk: EditablePlate) async throws -> Response {
    let level = try request.number("level", in: 0...8)
    let crop = desk.crop
    let side = Self.tile << level
    let (x, y) = (try request.number("x", in: 0...200), try request.number("y", in: 0...200))
    let frame = try request.number("frame", in: -1...10_000, default: -1)
    let region = Region(x: crop.x + x * side, y: crop.y + y * side, width: side, height: side)
    guard let picture = try await desk.picture(of: region, reducedBy: 1 << level, frame: frame < 0 ? nil : frame) else {
      throw Refusal(.notFound, "Nothing is there.")
    }
    return Response.bytes(try picture.jpeg(quality: 92), type: "image/jpeg", lasts: true)
  }

  /// How a frame shows the surroundings of a pixel of the reference.
  private func version(_ request: Request, _ desk: EditablePlate) async throws -> Response {
    let side = try request.number("side", in: 16...4_096, default: 256)
    let (x, y) = (try request.number("x", in: 0...100_000), try request.number("y", in: 0...100_000))
    let frame = try request.number("frame", in: 0...10_000)
    let region = Region(x: max(x - side / 2, 0), y: max(y - side / 2, 0), width: side, height: side)
    guard let picture = try await desk.picture(of: region, reducedBy: max(1, side / 160), frame: frame) else {
      throw Refusal(.notFound, "This frame takes no part.")
    }
    return Response.bytes(try picture.jpeg(quality: 85), type: "image/jpeg", lasts: true)
  }

  private func overlay(_ desk: EditablePlate) async throws -> Response {
    guard let plan = await desk.decisions else { throw Refusal(.notFound, "Only clean counts who backs a place.") }
    let (colours, alpha) = try plan.overlay(crop: desk.crop)
    let options = EncodeOptions(format: .png, strip: true, threads: 1)
    return Response.bytes(try encode(colours, alpha: alpha, options: options), type: "image/png")
  }

  /// The plate in a format, or as OpenRaster with the frames' versions of unresolved places (`ora`): the same bytes as the
  /// command line writes.
  private func plate(_ request: Request) async throws -> Response {
    let desk = try await desk
    let suffix = request.uri.queryParameters["format"].map(String.init) ?? "jpg"
    let hasLayers = suffix == "ora"
    guard let format = hasLayers ? .png : ImageFormat.forSuffix(suffix), format != .raw else {
      throw Refusal(.badRequest, "This format is not written.", "Choose another one.")
    }
    let options = EncodeOptions(
      format: format, quality: try request.number("quality", in: 1...100, default: 95),
      software: "cleanplate \(programVersion)", history: await desk.report.history, threads: session.threads)
    do {
      if hasLayers {
        guard let layers = try await session.pool.run({ try await desk.layers() }) else {
          throw Refusal(.notFound, "Only clean has places to choose from.", "Make the plate by clean.")
        }
        let bytes = try await session.pool.run { try layers.openRaster(options) }
        return Response.bytes(bytes, type: "image/openraster", saveAs: "plate.ora")
      }
      let plate = await desk.plate
      let bytes = try await session.pool.run { try encode(plate, options: options) }
      return Response.bytes(bytes, type: format.mediaType, saveAs: "plate.\(format.suffix)")
    } catch let error as CodecError {
      throw Refusal(.unprocessableContent, "The plate \(error.words).", "Choose another format.")
    }
  }

  /// The registered frames as PNG in one archive, made while it is sent.
  private func alignedFrames(_ desk: EditablePlate) async throws -> Response {
    let body = ResponseBody { writer in
      for index in desk.frames {
        guard let frame = try await desk.picture(of: desk.crop, frame: index) else { continue }
        let bytes = try encode(frame, options: EncodeOptions(format: .png, threads: 1))
        let name = "aligned_\(index < 10 ? "0" : "")\(index).png"
        try await writer.write(ByteBuffer(bytes: TarArchive.header(name: name, byteCount: bytes.count)))
        try await writer.write(ByteBuffer(bytes: bytes))
        try await writer.write(ByteBuffer(bytes: TarArchive.padding(byteCount: bytes.count)))
      }
      try await writer.write(ByteBuffer(bytes: TarArchive.end))
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "application/x-tar", .contentDisposition: "attachment; filename=\"aligned.tar\""],
      body: body)
  }
}

extension ImageFormat {
  /// The suffix that names of such files get.
  var suffix: String {
    switch self {
    case .jpeg: "jpg"
    case .png: "png"
    case .tiff: "tif"
    case .webp: "webp"
    case .heif: "heic"
    case .avif: "avif"
    case .jpegXL: "jxl"
    case .raw: "dng"
    }
  }

  var mediaType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    case .tiff: "image/tiff"
    case .webp: "image/webp"
    case .heif: "image/heic"
    case .avif: "image/avif"
    case .jpegXL: "image/jxl"
    case .raw: "application/octet-stream"
    }
  }
}

extension SelectionPlan {
  /// Who backs the plate, a pixel a cell, to be laid over it: red where somebody is left, the yellower the fewer frames
  /// agree, nothing where all do.
  func overlay(crop: Region) throws -> (colours: Frame, alpha: Plane) {
    let first = (x: crop.x / cell, y: crop.y / cell)
    let width = min((crop.maxX - 1) / cell, columns - 1) - first.x + 1
    let height = min((crop.maxY - 1) / cell, rows - 1) - first.y + 1
    func index(_ x: Int, _ y: Int) -> Int { (first.y + y) * columns + first.x + x }
    func lack(_ index: Int) -> Int { 255 * max(compared - Int(support[index]), 0) / max(compared, 1) }
    let red = try Plane(width: width, height: height) { _, _ in 255 }
    let green = try Plane(width: width, height: height) { x, y in unresolved[index(x, y)] ? 0 : 200 }
    let blue = try Plane(width: width, height: height) { _, _ in 0 }
    let alpha = try Plane(width: width, height: height) { x, y in
      unresolved[index(x, y)] ? 170 : lack(index(x, y)) * 3 / 5
    }
    return (Frame(planes: [red, green, blue], encoding: .rgb, name: "overlay"), alpha)
  }
}
