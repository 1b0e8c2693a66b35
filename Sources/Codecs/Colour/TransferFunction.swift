/// Transfer functions by their numbers (ITU-T H.273, 8.2).
enum TransferFunction {
  /// PQ and HLG.
  static func isHighDynamicRange(_ number: Int) -> Bool { number == 16 || number == 18 }
}
