import Testing

@testable import Selection
