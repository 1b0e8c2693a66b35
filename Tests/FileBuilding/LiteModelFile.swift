/// A model of TensorFlow Lite, as its `schema.fbs` says, of the operations that tests need.
public struct LiteModelFile {
  /// Of operations.
  public enum Code: Int32 {
    case add = 0
    case averagePool = 1
    case convolution = 3
    case depthwiseConvolution = 4
    case dequantize = 6
    case logistic = 14
    case multiply = 18
    case relu = 19
    case resizeBilinear = 23
    case own = 32
    case hardSwish = 117
  }

  private var tensors: [[Int: FlatField]] = []
  private var buffers: [[Int: FlatField]] = [[:]]
  private var codes: [[Int: FlatField]] = []
  private var operations: [[Int: FlatField]] = []

  public init() {}

  /// A tensor that is computed.
  /// - Returns: its number.
  public mutating func tensor(_ sizes: [Int32]) -> Int32 {
    tensors.append([0: .numbers(sizes), 1: .byte(0), 2: .number(0)])
    return Int32(tensors.count - 1)
  }

  /// One that was learned, in 32 bits, or in 16.
  public mutating func tensor(_ sizes: [Int32], _ numbers: [Float], isHalf: Bool = false) -> Int32 {
    let bytes = numbers.flatMap { number in
      isHalf
        ? withUnsafeBytes(of: Float16(number).bitPattern.littleEndian, Array.init)
        : withUnsafeBytes(of: number.bitPattern.littleEndian, Array.init)
    }
    buffers.append([0: .bytes(bytes)])
    tensors.append([0: .numbers(sizes), 1: .byte(isHalf ? 1 : 0), 2: .number(Int32(buffers.count - 1))])
    return Int32(tensors.count - 1)
  }

  /// - Parameters:
  ///   - name: of an operation that TensorFlow does not know.
  ///   - options: fields by number.
  /// - Returns: the result's number.
  @discardableResult
  public mutating func operation(
    _ code: Code, _ inputs: [Int32], to sizes: [Int32], name: String? = nil, options: [Int: FlatField]? = nil
  ) -> Int32 {
    let result = tensor(sizes)
    var kind: [Int: FlatField] = [0: .byte(UInt8(code.rawValue)), 3: .number(code.rawValue)]
    if let name { kind[1] = .bytes(Array(name.utf8)) }
    codes.append(kind)
    var operation: [Int: FlatField] = [
      0: .number(Int32(codes.count - 1)), 1: .numbers(inputs), 2: .numbers([result]),
    ]
    if let options { operation[4] = .table(options) }
    operations.append(operation)
    return result
  }

  /// The file.
  public func bytes(from inputs: [Int32], to outputs: [Int32]) -> [UInt8] {
    let graph: [Int: FlatField] = [
      0: .tables(tensors), 1: .numbers(inputs), 2: .numbers(outputs), 3: .tables(operations),
    ]
    return flatFile([0: .number(3), 1: .tables(codes), 2: .tables([graph]), 4: .tables(buffers)], identifier: "TFL3")
  }
}

extension LiteModelFile {
  /// Every operation once: three channels become two, a product with their own means, half of the rows and columns and back,
  /// and a square of samples out of each.
  public static func whole() -> LiteModelFile.Whole {
    var model = LiteModelFile()
    let input = model.tensor([1, 2, 4, 3])
    let plain: [Int: FlatField] = [0: .byte(0), 1: .number(1), 2: .number(1)]
    let halves = model.operation(
      .dequantize, [model.tensor([2, 1, 1, 3], [1, 0, 0, 0, 2, 0], isHalf: true)], to: [2, 1, 1, 3])
    let offsets = model.tensor([2], [0.5, -1])
    let mixed = model.operation(.convolution, [input, halves, offsets], to: [1, 2, 4, 2], options: plain)
    let positive = model.operation(.relu, [mixed], to: [1, 2, 4, 2])
    let means = model.operation(
      .averagePool, [positive], to: [1, 1, 1, 2],
      options: [0: .byte(1), 1: .number(4), 2: .number(2), 3: .number(4), 4: .number(2)])
    let product = model.operation(.multiply, [positive, means], to: [1, 2, 4, 2], options: [:])
    let each = model.tensor([1, 1, 1, 2], [1, 2])
    let half = model.operation(
      .depthwiseConvolution, [product, each, model.tensor([2], [0, 0])], to: [1, 1, 2, 2],
      options: [0: .byte(0), 1: .number(2), 2: .number(2), 3: .number(1)])
    let swished = model.operation(.hardSwish, [half], to: [1, 1, 2, 2])
    let large = model.operation(
      .resizeBilinear, [swished, model.tensor([2], [2, 4])], to: [1, 2, 4, 2], options: [2: .byte(0), 3: .byte(1)])
    let sum = model.operation(.add, [large, product], to: [1, 2, 4, 2], options: [:])
    let squares = model.tensor([1, 2, 2, 2], [1, 0, 0, 1, 0.5, 0.5, -1, 0])
    let spread = model.operation(
      .own, [sum, squares, model.tensor([1], [-2])], to: [1, 4, 8, 1], name: "Convolution2DTransposeBias")
    let output = model.operation(.logistic, [spread], to: [1, 4, 8, 1])
    return Whole(model: model, input: input, mixed: mixed, spread: spread, output: output)
  }

  /// A model, and tensors that tests add to.
  public struct Whole {
    public var model: LiteModelFile
    public let input: Int32
    /// Without a rectifier; one operation works on it.
    public let mixed: Int32
    public let spread: Int32
    public let output: Int32

    public var bytes: [UInt8] { model.bytes(from: [input], to: [output]) }
  }
}
