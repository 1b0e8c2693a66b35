import Testing

@testable import Stacking
