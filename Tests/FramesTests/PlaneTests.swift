import Foundation
import Frames
import SystemPackage
import Testing

struct PlaneTests {
  @Test func holdsWhatWasWritten() throws {
    let deep = try Plane(width: 5, height: 3, bits: 12) { x, y in 1000 * y + x }
    #expect(deep[4, 2] == 2004)
    #expect(deep.maximum == 4095)
    #expect(deep.bytesPerSample == 2)
    let clamped = try Plane(width: 2, height: 1) { x, _ in x == 0 ? -5 : 300 }
    #expect(clamped[0, 0] == 0 && clamped[1, 0] == 255)
  }

  @Test func equalityIgnoresPadding() throws {
    let a = try Plane(width: 3, height: 2) { x, y in x + y }
    let b = try Plane(width: 3, height: 2) { x, y in x + y }
    let c = try Plane(width: 3, height: 2) { x, y in x + y + (x == 2 ? 1 : 0) }
    #expect(a == b)
    #expect(a != c)
  }

  @Test func spillsPastTheBudgetWithoutLeavingAFile() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let budget = MemoryBudget(limit: 5000, spillFolder: FilePath(folder.path))
    func plane() throws -> Plane {
      let builder = try PlaneBuilder(width: 64, height: 64, bits: 8, budget: budget)
      for y in 0..<64 { for x in 0..<64 { builder.row(y, as: UInt8.self)[x] = UInt8(x ^ y) } }
      return builder.finish()
    }
    let inMemory = try plane()
    let spilled = try plane()
    #expect(!inMemory.isSpilled)
    #expect(spilled.isSpilled)
    inMemory.discardResidentSamples()
    spilled.discardResidentSamples()
    #expect(inMemory == spilled)
    #expect(inMemory[63, 62] == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: [8, 12]) func planesOfOnePictureKeepApart(bits: Int) throws {
    let sizes = [Size(width: 67, height: 5), Size(width: 34, height: 3), Size(width: 1, height: 1)]
    let budget = MemoryBudget(limit: 1 << 20)
    let builders = try PlaneBuilder.builders(of: sizes, bits: bits, paddingRows: 2, budget: budget)
    // Padding rows are each plane's own, too.
    for (index, builder) in builders.enumerated() {
      memset(builder.base, Int32(index + 1), builder.stride * (builder.height + 2))
    }
    var planes = builders.map { $0.finish() }
    for (index, (plane, size)) in zip(planes, sizes).enumerated() {
      #expect(plane.width == size.width && plane.height == size.height && plane.bits == bits)
      let expected = bits > 8 ? 257 * (index + 1) : index + 1
      #expect(plane[0, 0] == expected)
      #expect(plane[size.width - 1, size.height - 1] == expected)
      #expect(plane.byteCount == plane.stride * (size.height + 2))
    }
    // The last plane holds the memory that all share.
    planes.removeFirst(2)
    #expect(planes[0][0, 0] == (bits > 8 ? 771 : 3))
  }

  @Test func saysWhenNothingCanBeSpilled() {
    let budget = MemoryBudget(limit: 0, spillFolder: "/nonexistent-folder")
    #expect(throws: AllocationError.self) { _ = try PlaneBuilder(width: 64, height: 64, bits: 8, budget: budget) }
  }
}
