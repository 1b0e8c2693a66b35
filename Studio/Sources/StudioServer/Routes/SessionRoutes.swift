import CleanPlate
import Foundation
import Hummingbird

/// Sessions, their frames and what happens in them.
struct SessionRoutes<Context: RequestContext>: Sendable {
  let sessions: Sessions

  func add(to api: RouterGroup<Context>) {
    api.get("sessions") { _, _ in try await list() }
    api.post("sessions") { _, _ in try await state(of: try sessions.make(), .created) }
    api.post("kept/:id") { _, context in
      try await state(of: try await sessions.reopen(try uuid(context)))
    }
    let one = api.group("sessions/:id")
    one.get { _, context in try await state(of: try session(context)) }
    one.delete { _, context in
      await sessions.close(try uuid(context))
      return Response(status: .noContent)
    }
    one.get("events") { _, context in try await events(try session(context)) }
    one.post("frames") { request, context in try await take(request, try session(context)) }
    one.post("video") { request, context in try await takeVideo(request, try session(context)) }
    one.post("live") { request, context in
      let session = try session(context)
      await session.show(try await request.document(OperatorRequest.self, most: 1_000).combine)
      return try await state(of: session)
    }
    one.get("live.jpg") { _, context in
      guard let bytes = try await session(context).livePicture else { throw Refusal(.notFound, "Nothing yet.") }
      return Response.bytes(bytes, type: "image/jpeg")
    }
    one.get("thumbnail") { request, context in
      let index = try request.number("frame", in: 0...sessions.limits.frames)
      guard let bytes = await (try session(context)).thumbnail(index) else { throw Refusal(.notFound, "Nothing yet.") }
      return Response.bytes(bytes, type: "image/jpeg", lasts: true)
    }
    one.post("plate") { request, context in
      let session = try session(context)
      let recipe = try await request.document(RecipeRequest.self, most: 1_000).recipe
      try await session.develop(recipe)
      return try await state(of: session, .accepted)
    }
    one.delete("plate") { _, context in
      let session = try session(context)
      await session.stop()
      return try await state(of: session)
    }
    one.post("keep") { _, context in
      let session = try session(context)
      do {
        _ = try await session.keep(under: sessions.keepFolder)
      } catch {
        let problem = SessionState.Problem(error)
        throw Refusal(.insufficientStorage, problem.problem, problem.advice)
      }
      return try await state(of: session)
    }
  }

  func uuid(_ context: Context) throws -> UUID {
    guard let id = context.parameters.get("id").flatMap({ UUID(uuidString: $0) }) else {
      throw Refusal(.notFound, "No such session.")
    }
    return id
  }

  func session(_ context: Context) throws -> StudioSession {
    guard let session = sessions[try uuid(context)] else {
      throw Refusal(.notFound, "This session is closed.", "Begin another one.")
    }
    return session
  }

  private func state(of session: StudioSession, _ status: HTTPResponse.Status = .ok) async throws -> Response {
    try Response.json(await session.state, status: status)
  }

  private func list() async throws -> Response {
    var open: [SessionList.Entry] = []
    for session in sessions.all {
      let state = await session.state
      open.append(SessionList.Entry(id: state.id, frames: state.frames.count, phase: state.phase))
    }
    let kept = KeptSession.list(in: sessions.keepFolder).prefix(50).map {
      SessionList.Entry(id: $0.id, frames: $0.frames, date: $0.date)
    }
    return try Response.json(SessionList(open: open, kept: Array(kept), version: programVersion))
  }

  /// Server-Sent Events: the whole state whenever it changes, and a word now and then, by which lost connections are told.
  private func events(_ session: StudioSession) async throws -> Response {
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
      try await writer.write(ByteBuffer(string: "event: closed\ndata: {}\n\n"))
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
  }

  private func take(_ request: Request, _ session: StudioSession) async throws -> Response {
    let bytes = try await request.wholeBody(sessions.limits.pictureBytes)
    guard !bytes.isEmpty else { throw Refusal(.unprocessableContent, "The file is empty.", "Choose another picture.") }
    return try Response.json(
      TakenFrame(index: try await session.add(picture: bytes, called: request.shownName)), status: .created)
  }

  /// Writes a video to a file of our own while it comes in.
  private func takeVideo(_ request: Request, _ session: StudioSession) async throws -> Response {
    let most = sessions.limits.videoBytes
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > most { throw Request.tooLarge(most) }
    let path = session.folder.path.appending("video_\(UUID().uuidString)")
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
      let inputs = try await sessions.pool.run {
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
    return try await state(of: session, .created)
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
      continuation.yield(nil)
    }
  }
  continuation.onTermination = { _ in
    told.cancel()
    ticking.cancel()
  }
  return stream
}
