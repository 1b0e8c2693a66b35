import ShimSupport

/// A model of TensorFlow Lite (its `schema.fbs`, in FlatBuffers' format): operations in their order, and the tensors that they
/// work on.
struct LiteModel {
  let bytes: [UInt8]
  private(set) var tensors: [Tensor] = []
  private(set) var operations: [Operation] = []
  /// Tensors.
  private(set) var inputs: [Int] = []
  private(set) var outputs: [Int] = []

  struct Tensor {
    enum Element { case float, half, other }

    /// Pictures: how many, rows, columns, channels.
    let sizes: [Int]
    let element: Element
    /// What was learned, in the model's bytes; empty for what is computed.
    let contents: Range<Int>

    var count: Int { sizes.reduce(1, *) }
  }

  struct Operation {
    let kind: Kind
    /// Tensors.
    let inputs: [Int]
    let outputs: [Int]
    /// What else there is to know; by kind.
    fileprivate let options: FlatTable?
  }

  enum Kind: Hashable {
    case known(Int)
    case own(String)

    static let add = Kind.known(0)
    static let averagePool = Kind.known(1)
    static let convolution = Kind.known(3)
    static let depthwiseConvolution = Kind.known(4)
    static let dequantize = Kind.known(6)
    static let logistic = Kind.known(14)
    static let multiply = Kind.known(18)
    static let relu = Kind.known(19)
    static let resizeBilinear = Kind.known(23)
    static let hardSwish = Kind.known(117)
    /// MediaPipe's.
    static let transposeConvolution = Kind.own("Convolution2DTransposeBias")
    fileprivate static let anyOwn = 32
  }

  /// Rows, columns or channels.
  private static let longest = 1 << 15

  /// - Throws: `ShimError` when the bytes are no such model.
  init(_ bytes: [UInt8]) throws(ShimError) {
    self.bytes = bytes
    let model = try FlatTable(root: bytes, identifier: "TFL3")
    var kinds: [Kind] = []
    for code in try model.tables(1) {
      // Codes that fit into a byte stand in the first field as well, and in old files nowhere else.
      let number = max(try code.number(0, as: Int8.self, or: 0), try code.number(3, as: Int32.self, or: 0))
      kinds.append(number == Kind.anyOwn ? .own(try code.text(1)) : .known(number))
    }
    var buffers: [Range<Int>] = []
    for buffer in try model.tables(4) { buffers.append(try buffer.body(0)) }
    let graphs = try model.tables(2)
    guard graphs.count == 1 else { throw .noModel("of \(graphs.count) graphs") }
    (inputs, outputs) = (try graphs[0].numbers(1), try graphs[0].numbers(2))
    for table in try graphs[0].tables(0) { tensors.append(try Self.tensor(table, buffers)) }
    for table in try graphs[0].tables(3) { operations.append(try Self.operation(table, kinds)) }
    let named = operations.flatMap { $0.inputs + $0.outputs } + inputs + outputs
    guard named.allSatisfy(tensors.indices.contains) else { throw .noModel("that names what it does not have") }
  }

  private static func tensor(_ table: FlatTable, _ buffers: [Range<Int>]) throws(ShimError) -> Tensor {
    let sizes = try table.numbers(0)
    let buffer = try table.number(2, as: UInt32.self, or: 0)
    guard sizes.count <= 4, sizes.allSatisfy({ (1...longest).contains($0) }), buffers.indices.contains(buffer) else {
      throw .noModel("with a tensor of sizes \(sizes.prefix(5))")
    }
    let element: Tensor.Element =
      switch try table.number(1, as: Int8.self, or: 0) {
      case 0: .float
      case 1: .half
      default: .other
      }
    return Tensor(sizes: sizes, element: element, contents: buffers[buffer])
  }

  private static func operation(_ table: FlatTable, _ kinds: [Kind]) throws(ShimError) -> Operation {
    let kind = try table.number(0, as: UInt32.self, or: 0)
    guard kinds.indices.contains(kind) else { throw .noModel("with an operation of no kind") }
    return Operation(
      kind: kinds[kind], inputs: try table.numbers(1), outputs: try table.numbers(2), options: try table.table(4))
  }
}

extension LiteModel.Operation {
  /// How windows go on.
  struct Sliding {
    let margins: Window.Margins
    /// Columns and rows from one window to the next.
    let steps: [Int]
    /// Columns and rows of a window, of those that have no kernel.
    fileprivate(set) var sides: [Int]
    /// Whether it has no rectifier, looks at samples beside each other, and makes one channel of a channel.
    fileprivate(set) var isPlain: Bool
  }

  /// Of convolutions and pools.
  func sliding() throws(ShimError) -> Sliding? {
    guard let options else { return nil }
    let margins: Window.Margins
    switch try options.number(0, as: Int8.self, or: 0) {
    case 0: margins = .same
    case 1: margins = .fixed(before: 0, after: 0)
    default: return nil
    }
    let steps = [try options.number(1, as: Int32.self, or: 0), try options.number(2, as: Int32.self, or: 0)]
    let (rectifier, ones, sides): (Int, [Int], [Int])
    switch kind {
    case .convolution: (rectifier, ones, sides) = (3, [4, 5], [])
    case .depthwiseConvolution: (rectifier, ones, sides) = (4, [3, 5, 6], [])
    case .averagePool: (rectifier, ones, sides) = (5, [], [3, 4])
    default: return nil
    }
    var sliding = Sliding(margins: margins, steps: steps, sides: [], isPlain: true)
    if try options.number(rectifier, as: Int8.self, or: 0) != 0 { sliding.isPlain = false }
    for field in ones where try options.number(field, as: Int32.self, or: 1) != 1 { sliding.isPlain = false }
    for field in sides { sliding.sides.append(try options.number(field, as: Int32.self, or: 0)) }
    return sliding
  }

  /// Whether sums and products have no rectifier.
  func isPlain() throws(ShimError) -> Bool { try options?.number(0, as: Int8.self, or: 0) ?? 0 == 0 }

  /// Whether a picture is enlarged as if samples were squares, of which middles count.
  func areMiddlesKept() throws(ShimError) -> Bool {
    guard let options else { return false }
    let (areCornersKept, areMiddlesKept) = (
      try options.number(2, as: UInt8.self, or: 0), try options.number(3, as: UInt8.self, or: 0)
    )
    return areCornersKept == 0 && areMiddlesKept != 0
  }
}
