import CleanPlate

/// A picture as the camera hands it over.
struct CameraImage: Sendable {
  let width: Int
  let height: Int
  /// Row by row.
  let luma: [UInt8]
}

extension CameraImage {
  func frame(number: Int) throws -> Frame {
    let builder = try PlaneBuilder(width: width, height: height, bits: 8)
    for y in 0..<height {
      _ = builder.row(y, as: UInt8.self).update(fromContentsOf: luma[y * width..<(y + 1) * width])
    }
    return Frame(planes: [builder.finish()], encoding: .grey(.full), name: "frame \(number)")
  }
}

func frames(of images: AsyncStream<CameraImage>) -> AsyncThrowingStream<Frame, any Error> {
  AsyncThrowingStream { continuation in
    let task = Task {
      var count = 0
      do {
        for await image in images {
          continuation.yield(try image.frame(number: count))
          count += 1
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
  }
}

func makePlate(of images: AsyncStream<CameraImage>, show: (Frame) -> Void) async throws -> Frame {
  let run = PlateRun(from: frames(of: images), options: try Options(previews: true))
  for await event in run.events {
    switch event {
    case .preview(let picture): show(picture)
    case .rejected(_, let name, let reason): print("\(name): \(reason.words)")
    default: break
    }
  }
  return try await run.result.plate
}
