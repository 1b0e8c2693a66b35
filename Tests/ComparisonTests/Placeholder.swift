import Testing

@testable import Comparison
