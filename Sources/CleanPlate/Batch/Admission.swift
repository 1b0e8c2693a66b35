import Foundation
import Frames
import Synchronization

/// Lets bursts begin as long as the memory that those under way need is there; one may always.
actor Admission {
  private let limit: Int
  private var held = 0
  private var count = 0
  private var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []

  /// - Parameter limit: in bytes.
  init(limit: Int) { self.limit = limit }

  func enter(_ bytes: Int) async {
    if count == 0 || (waiting.isEmpty && held + bytes <= limit) {
      admit(bytes)
    } else {
      await withCheckedContinuation { waiting.append((bytes, $0)) }
    }
  }

  func leave(_ bytes: Int) {
    held -= bytes
    count -= 1
    while let next = waiting.first, count == 0 || held + next.bytes <= limit {
      waiting.removeFirst()
      admit(next.bytes)
      next.continuation.resume()
    }
  }

  private func admit(_ bytes: Int) {
    held += bytes
    count += 1
  }

  /// Half of the machine's memory.
  static var available: Int { Int(clamping: ProcessInfo.processInfo.physicalMemory / 2) }
}

extension PictureGroup {
  /// Bytes that its decoded frames take, about: Y, Cb, Cr at 4:2:0, and as much again for what is made of them. A photo's video
  /// has at most so many pixels.
  var neededBytes: Int {
    let video = kind == .motion ? BatchSource.videoFrames * min(size.area, 1920 * 1440) : 0
    return 3 * (size.area * shots.count + video)
  }
}
