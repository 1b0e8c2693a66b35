import CleanPlate
import Foundation
import HTTPTypes
import Hummingbird

/// Sessions as the front knows them: which there are. What happens in one, its worker answers.
struct FrontRoutes<Context: RequestContext>: Sendable {
  let sessions: Sessions

  func add(to api: RouterGroup<Context>) {
    let proxy = Proxy(sessions: sessions)
    api.get("sessions") { _, _ in try await list(proxy) }
    api.post("sessions") { _, _ in await proxy.state(of: try await sessions.make(), .created) }
    api.post("kept/:id") { _, context in
      await proxy.state(of: try await sessions.reopen(try uuid(context)), .created)
    }
    let one = api.group("sessions/:id")
    one.get { _, context in await proxy.state(of: try await worker(context)) }
    one.delete { _, context in
      await sessions.close(try uuid(context))
      return Response(status: .noContent)
    }
    one.get("events") { request, context in await proxy.events(request, of: try await worker(context)) }
    for method: HTTPRequest.Method in [.get, .post, .put, .delete] {
      one.on("**", method: method) { request, context in await proxy.answer(request, by: try await worker(context)) }
    }
  }

  private func uuid(_ context: Context) throws -> UUID {
    guard let id = context.parameters.get("id").flatMap({ UUID(uuidString: $0) }) else {
      throw Refusal(.notFound, "No such session.")
    }
    return id
  }

  private func worker(_ context: Context) async throws -> Worker {
    let worker = try sessions.worker(try uuid(context))
    try await worker.begun()
    return worker
  }

  private func list(_ proxy: Proxy) async throws -> Response {
    let open = await withTaskGroup(of: SessionList.Entry.self) { group in
      for worker in sessions.all {
        group.addTask {
          let summary = await proxy.summary(of: worker)
          return SessionList.Entry(id: worker.id, frames: summary.frames, phase: summary.phase)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let kept = KeptSession.list(in: sessions.keepFolder).prefix(50).map {
      SessionList.Entry(id: $0.id, frames: $0.frames, date: $0.date)
    }
    return try Response.json(SessionList(open: open, kept: Array(kept), version: programVersion))
  }
}
