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
