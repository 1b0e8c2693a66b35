import Testing

@testable import Registration
