import ShimSupport
import Testing

@testable import Selection

/// Darknet's files: what they say is computed, and what is unknown is refused.
struct DarknetNetworkTests {
  private static let net = "[net]\nwidth=32\nheight=32\nchannels=3\n"
  private static let yolo = "[yolo]\nmask=1\nanchors=1,1, 8,4\nclasses=1\nnum=2\n"
  /// Version 0.2.5, and how many pictures were seen.
  private static let head: [UInt8] = [0, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]

  private static func filters(_ count: Int, _ more: String = "") -> String {
    "[convolutional]\nfilters=\(count)\nsize=1\nstride=1\npad=1\nactivation=linear\n\(more)\n"
  }

  private func network(_ config: String, _ numbers: [Float]) throws -> DarknetNetwork {
    try DarknetNetwork(config: Array(config.utf8), weights: Self.head + learned(numbers))
  }

  @Test func theLayersAreThose() throws {
    let config =
      Self.net + """
        # Comments; and blanks do not matter.
        [convolutional]
        batch_normalize = 1
        filters=1
        size=1
        activation=leaky

        [maxpool]
        size=2
        stride=2

        [upsample]
        stride=2

        [route]
        layers = -1, 0

        [shortcut]
        from=-2
        activation=linear

        """ + Self.filters(6) + Self.yolo
    // Beta, gamma, mean, variance, kernel; then offsets and kernels of two channels.
    let numbers: [Float] = [1, 2, 0.5, 4, 1, 0, 0] + [Float](repeating: 0, count: 6) + (0..<12).map { Float($0) }
    #expect(throws: ShimError.self) { try network(config.replacing("from=-2", with: "from=7"), numbers) }
    let made = try network(config.replacing("from=-2", with: "from=-1"), numbers)
    #expect(made.heads.count == 1 && made.layers.outputs == [6])
    let volume = Volume(channels: 3, height: 2, width: 2)
    let volumes = try made.layers.volumes(for: volume)
    #expect(volumes.map(\.channels) == [3, 1, 1, 1, 2, 2, 6])
    let result = try Network(made.layers, input: volume).answers(
      to: [1, 2, 3, -9, 0, 0, 0, 0, 0, 0, 0, 0], volume)[0]
    // (x - 0.5) / 2 * 2 + 1, leaky; the most of it everywhere, beside itself; twice that; times 2 k and 2 k + 1.
    let first: [Float] = [1.5, 2.5, 3.5, -0.85]
    for channel in 0..<6 {
      for x in 0..<4 {
        let expected = 2 * (3.5 * Float(2 * channel) + first[x] * Float(2 * channel + 1))
        #expect(abs(result[4 * channel + x] - expected) < 1e-4)
      }
    }
  }

  @Test(arguments: [
    "", "width=32\n", "[net]\n" + yolo, net, net + yolo, net + filters(5) + yolo, net + filters(6),
    net.replacing("32", with: "0") + filters(6) + yolo, net.replacing("3\n", with: "1\n") + filters(6) + yolo,
    net + filters(6, "activation=mish") + yolo, net + filters(6, "groups=2") + yolo,
    net + filters(6, "dilation=2") + yolo,
    net + filters(6, "size=-1") + yolo, net + filters(6, "stride=0") + yolo, net + filters(6, "size=x") + yolo,
    net + filters(6, "filters=99999999999999999999") + yolo, net + filters(6, "size=1000") + yolo,
    net + filters(6, "pad=0\npadding=5") + yolo, net + "[softmax]\n" + filters(6) + yolo,
    net + filters(6) + yolo.replacing("mask=1", with: "mask=2"), net + filters(6) + yolo + "[maxpool]\n",
    net + filters(6) + yolo + "new_coords=1\n", net + filters(6) + yolo.replacing("8,4", with: "8,inf"),
    net + "[upsample]\nstride=3\n" + filters(6) + yolo, net + "[route]\nlayers=0\n" + filters(6) + yolo,
    net + filters(6) + "[route]\nlayers=-1\ngroups=2\n" + yolo, net + "[maxpool\n" + filters(6) + yolo, net + "hello\n",
    net + filters(6) + "[maxpool]\npadding=3\n" + yolo,
  ])
  func somethingElseIsRefused(config: String) {
    #expect(throws: ShimError.self) { try network(config, [Float](repeating: 0, count: 100)) }
  }

  @Test func errorsSayWhere() throws {
    let config = Self.net + Self.filters(6) + "[softmax]\n" + Self.yolo
    let error = try #require(throws: ShimError.self) { try network(config, [Float](repeating: 0, count: 100)) }
    #expect(error.kind == .badData && error.message.contains("layer 2, [softmax]"), "\(error.message)")
  }

  /// Wherever the weights end too early.
  @Test func cutWeightsAreRefused() throws {
    let config = Array((Self.net + Self.filters(6, "batch_normalize=1") + Self.yolo).utf8)
    let weights = Self.head + learned([Float](repeating: 1, count: 6 * 4 + 18))
    for count in weights.indices {
      #expect(throws: ShimError.self) { try DarknetNetwork(config: config, weights: Array(weights.prefix(count))) }
    }
    _ = try DarknetNetwork(config: config, weights: weights)
    _ = try DarknetNetwork(config: config, weights: weights + [1, 2, 3])
  }

  /// Before version 0.2 the head was shorter.
  @Test func headsAreOldOrNew() throws {
    let config = Array((Self.net + Self.filters(6) + Self.yolo).utf8)
    let numbers = learned((0..<24).map { Float($0) })
    let old: [UInt8] = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    let (first, second) = (
      try DarknetNetwork(config: config, weights: old + numbers),
      try DarknetNetwork(config: config, weights: Self.head + numbers)
    )
    let volume = Volume(channels: 3, height: 1, width: 1)
    #expect(
      try Network(first.layers, input: volume).answers(to: [1, 2, 3], volume)
        == Network(second.layers, input: volume).answers(to: [1, 2, 3], volume))
    #expect(throws: ShimError.self) { try DarknetNetwork(config: config, weights: [1, 4, 0, 0] + old + numbers) }
  }

  /// Nothing but what fits every size that it is asked with is a detector.
  @Test func aNetworkMustFitItsSizes() throws {
    // 13 samples, halved and doubled, are 14.
    let layers = String(repeating: "[maxpool]\n", count: 6) + "[upsample]\n[route]\nlayers=-1,4\n"
    let config = Self.net + layers + Self.filters(6) + Self.yolo
    let error = try #require(throws: ShimError.self) {
      try MoverFinder(config: Array(config.utf8), weights: Self.head + learned([Float](repeating: 0, count: 50)))
    }
    #expect(error.message.contains("different sizes"), "\(error.message)")
  }

  /// Each joins what the last one joined with itself.
  @Test func noMoreChannelsThanAreOfUse() throws {
    let config = Self.net + "[maxpool]\n" + String(repeating: "[route]\nlayers=-1,-1\n", count: 70) + Self.yolo
    let error = try #require(throws: ShimError.self) { try network(config, []) }
    #expect(error.message.contains("channels"), "\(error.message)")
  }
}
