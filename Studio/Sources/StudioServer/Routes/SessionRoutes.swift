import CleanPlate
import Foundation
import Hummingbird

/// A session, its frames and what happens in it: what its worker answers.
struct SessionRoutes<Context: RequestContext>: Sendable {
  let session: StudioSession
  /// Where sessions are kept.
  let keepFolder: FilePath

  func add(to one: RouterGroup<Context>) {
    one.get { _, _ in try await state() }
    one.get("events") { _, _ in await events() }
    one.post("frames") { request, _ in try await take(request) }
    one.post("video") { request, _ in try await takeVideo(request) }
    one.post("live") { request, _ in
      await session.show(try await request.document(OperatorRequest.self, most: 1_000).combine)
      return try await state()
    }
    one.get("live.jpg") { _, _ in
      guard let bytes = await session.livePicture else { throw Refusal(.notFound, "Nothing yet.") }
      return Response.bytes(bytes, type: "image/jpeg")
    }
    one.get("thumbnail") { request, _ in
      let index = try request.number("frame", in: 0...session.limits.frames)
      guard let bytes = await session.thumbnail(index) else { throw Refusal(.notFound, "Nothing yet.") }
      return Response.bytes(bytes, type: "image/jpeg", lasts: true)
    }
    one.post("plate") { request, _ in
      let recipe = try await request.document(RecipeRequest.self, most: 1_000).recipe
      try await session.develop(recipe)
      return try await state(.accepted)
    }
    one.delete("plate") { _, _ in
      await session.stop()
      return try await state()
    }
    one.post("keep") { _, _ in
      do {
        _ = try await session.keep(under: keepFolder)
      } catch {
        let problem = SessionState.Problem(error)
        throw Refusal(.insufficientStorage, problem.problem, problem.advice)
      }
      return try await state()
    }
  }

  private func state(_ status: HTTPResponse.Status = .ok) async throws -> Response {
    try Response.json(await session.state, status: status)
  }

  /// Server-Sent Events: the whole state whenever it changes, and a word now and then, by which lost connections are told.
  /// How they end is told by the front.
  private func events() async -> Response {
    let states = session.watchers.watch(await session.state)
    let body = ResponseBody { writer in
      let lines = merge(states, every: .seconds(15))
      try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
      for await state in lines {
        guard let state else {
          try await writer.write(ByteBuffer(string: ": still here\n\n"))
          continue
        }
        let json = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
        try await writer.write(ByteBuffer(string: "event: state\nid: \(state.revision)\ndata: \(json)\n\n"))
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
  }

  private func take(_ request: Request) async throws -> Response {
    let bytes = try await request.wholeBody(session.limits.pictureBytes)
    guard !bytes.isEmpty else { throw Refusal(.unprocessableContent, "The file is empty.", "Choose another picture.") }
    return try Response.json(
      TakenFrame(index: try await session.add(picture: bytes, called: request.shownName)), status: .created)
  }

  /// Writes a video to a file of our own while it comes in.
  private func takeVideo(_ request: Request) async throws -> Response {
    let most = session.limits.videoBytes
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > most { throw Request.tooLarge(most) }
    let path = session.folder.appending("video_\(UUID().uuidString)")
    guard FileManager.default.createFile(atPath: path.string, contents: nil),
      let file = FileHandle(forWritingAtPath: path.string)
    else { throw Refusal(.insufficientStorage, "There is no room for the video.") }
    do {
      defer { try? file.close() }
      var count = 0
      for try await part in request.body {
        count += part.readableBytes
        guard count <= most else { throw Request.tooLarge(most) }
        try file.write(contentsOf: Data(part.readableBytesView))
      }
    } catch {
      try? FileManager.default.removeItem(atPath: path.string)
      throw error
    }
    let name = request.shownName
    do {
      let most = 20
      let inputs = try await session.pool.run {
        try videoInputs(path, choice: FrameChoice(every: nil, maximum: most))
      }
      // Its frames are in memory now.
      try? FileManager.default.removeItem(atPath: path.string)
      try await session.take(framesOf: inputs) { "\(name), frame \($0 + 1)" }
    } catch {
      try? FileManager.default.removeItem(atPath: path.string)
      if error is Refusal { throw error }
      let told = (error as? CodecError)?.words ?? SessionState.Problem(error).problem
      let words = ["file:\(path.text)", path.text].reduce(told) { $0.replacingOccurrences(of: $1, with: name) }
      throw Refusal(.unprocessableContent, "\(name) cannot be used: \(words).", "Choose another video.")
    }
    return try await state(.created)
  }
}

/// States as they come, and nil whenever none has come for a while.
private func merge(
  _ states: AsyncStream<SessionState>, every pause: Duration
) -> AsyncStream<SessionState?> {
  let (stream, continuation) = AsyncStream.makeStream(of: SessionState?.self, bufferingPolicy: .bufferingNewest(1))
  let told = Task {
    for await state in states { continuation.yield(state) }
    continuation.finish()
  }
  let ticking = Task {
    while true {
      try await Task.sleep(for: pause)
      // A state that nobody has taken yet is worth more than a word.
      if case .dropped(let state?) = continuation.yield(nil) { continuation.yield(state) }
    }
  }
  continuation.onTermination = { _ in
    told.cancel()
    ticking.cancel()
  }
  return stream
}
