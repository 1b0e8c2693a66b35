import Testing

@testable import CleanPlate
