// Two tasks write one place without a lock: the control of `Scripts/test --sanitize thread`, which must find it.
import Frames
import Synchronization

final class Place: Sendable {
  let here = Atomic(0)
  nonisolated(unsafe) let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)
}

let place = Place()
place.pointer.initialize(to: 0)
try await forEachIndex(count: 2, threads: 2) { index in
  // Nobody may do both: each waits until the other is there.
  place.here.wrappingAdd(1, ordering: .relaxed)
  while place.here.load(ordering: .relaxed) < 2 {}
  for _ in 0..<1000 { place.pointer.pointee += index }
}
print("The sum came to \(place.pointer.pointee).")
