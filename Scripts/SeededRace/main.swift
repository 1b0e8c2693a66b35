// Two tasks write one place without a lock: the control of `Scripts/test --sanitize thread`, which must find it.
import Frames

struct Place: @unchecked Sendable {
  let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)
}

let place = Place()
place.pointer.initialize(to: 0)
try await forEachIndex(count: 1000, threads: 4) { index in place.pointer.pointee += index }
print("The sum came to \(place.pointer.pointee).")
place.pointer.deallocate()
