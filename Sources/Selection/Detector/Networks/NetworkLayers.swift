import ShimSupport

/// What a network computes: layers, each of which makes one result out of earlier ones.
///
/// Results are counted from 0, which is the input, so that layer k makes result k + 1.
struct NetworkLayers: Sendable {
  struct Layer: Sendable {
    let kind: Kind
    /// Results.
    let inputs: [Int]
  }

  enum Kind: Sendable {
    case convolution(Convolution)
    /// The most of each window.
    case maximum(Window)
    /// Every sample becomes so many along each axis.
    case enlargement(Int)
    /// The inputs' channels, one after another.
    case concatenation
    /// Of two results.
    case sum
    /// Of each channel.
    case mean
    /// Of a result and of one that has a sample for each of its channels.
    case product
    /// As many times as large along each axis, by linear interpolation between samples' middles.
    case interpolation(Int)
  }

  /// The input's.
  let channels: Int
  /// The file that has what convolutions learned.
  private(set) var file: [UInt8]
  private(set) var layers: [Layer] = []
  /// The results that are wanted.
  var outputs: [Int] = []

  init(channels: Int, learned file: [UInt8]) { (self.channels, self.file) = (channels, file) }

  /// The layers without what they learned.
  var shapes: NetworkLayers {
    var shapes = self
    shapes.file = []
    return shapes
  }

  /// - Returns: the layer's result.
  @discardableResult
  mutating func add(_ kind: Kind, of inputs: [Int]) -> Int {
    layers.append(Layer(kind: kind, inputs: inputs))
    return layers.count
  }

  /// Changes the convolution that makes a result; nil where another layer makes it.
  mutating func change<Result>(convolution result: Int, _ body: (inout Convolution) -> Result?) -> Result? {
    guard result > 0, case .convolution(var convolution) = layers[result - 1].kind else { return nil }
    guard let value = body(&convolution) else { return nil }
    layers[result - 1] = Layer(kind: .convolution(convolution), inputs: layers[result - 1].inputs)
    return value
  }
}

/// What a layer looks at for one of its results' samples, and how far it goes on for the next.
struct Window: Sendable {
  /// Samples of nothing around the input, along an axis.
  enum Margins: Sendable {
    case fixed(before: Int, after: Int)
    /// As many as make as many results as there are steps: TensorFlow's SAME.
    case same
  }

  let side: Int
  let step: Int
  let margins: Margins

  /// Along an axis of so many samples.
  func results(_ samples: Int) -> Int {
    switch margins {
    case .fixed(let before, let after):
      let room = samples + before + after - side
      return room < 0 ? 0 : room / step + 1
    case .same: return (samples + step - 1) / step
    }
  }

  /// Along an axis of so many samples.
  func margins(_ samples: Int) -> (before: Int, after: Int) {
    switch margins {
    case .fixed(let before, let after): return (before, after)
    case .same:
      let both = max((results(samples) - 1) * step + side - samples, 0)
      return (both / 2, both - both / 2)
    }
  }
}

/// A convolution with square kernels, and what becomes of its results: of each channel a multiple, an offset, a rectifier.
struct Convolution: Sendable {
  enum Rectifier: Sendable, Hashable {
    case none
    /// What is negative is multiplied by a slope.
    case leaky(Float)
    /// What is less than 0 or more than a limit becomes that.
    case clip(Float)
    /// x becomes x times x / 6 + 1 / 2, of which what is less than 0 or more than 1 becomes that: Howard et al., "Searching
    /// for MobileNetV3", ICCV 2019.
    case hardSwish
    /// x becomes 1 / (1 + exp(-x)).
    case logistic
  }

  let window: Window
  /// Into how many parts the channels fall that have nothing to do with each other.
  let groups: Int
  let kernel: Kernel
  /// Of each channel of the result.
  private(set) var scales: [Float]
  private(set) var offsets: [Float]
  var rectifier = Rectifier.none

  var channels: Int { scales.count }

  /// - Parameter channels: the result's.
  init(window: Window, groups: Int = 1, kernel: Kernel, channels: Int) {
    (self.window, self.groups, self.kernel) = (window, groups, kernel)
    scales = [Float](repeating: 1, count: channels)
    offsets = [Float](repeating: 0, count: channels)
  }

  /// - Parameter more: of each channel.
  mutating func add(_ more: [Float]) {
    for k in offsets.indices { offsets[k] += more[k] }
  }

  /// What batches showed of each channel while the network learned, and what became of it: Ioffe and Szegedy, "Batch
  /// Normalization", ICML 2015.
  struct Normalisation {
    let gamma: [Float]
    let beta: [Float]
    let mean: [Float]
    let variance: [Float]
    /// Added to variances, so that none is zero.
    let epsilon: Float
  }

  mutating func normalise(_ by: Normalisation) {
    for k in scales.indices {
      let scale = by.gamma[k] / (by.variance[k] + by.epsilon).squareRoot()
      scales[k] *= scale
      offsets[k] = offsets[k] * scale + (by.beta[k] - scale * by.mean[k])
    }
  }
}

/// A convolution's learned numbers in a file: of 32 bits, the least significant byte first.
struct Kernel: Sendable {
  /// A byte.
  let start: Int
  let count: Int
  /// Numbers from one channel of the result, one channel of a group of the input, one row and one column to the next.
  let strides: [Int]
}

/// Learned numbers that are few, in the bytes of a file.
func learnedNumbers(_ count: Int, at start: Int, in file: [UInt8]) -> [Float] {
  precondition(start >= 0 && count >= 0 && count <= (file.count - start) / 4)
  return file.withUnsafeBytes { bytes in
    (0..<count).map { bytes.loadUnaligned(fromByteOffset: start + 4 * $0, as: Float.self) }
  }
}
