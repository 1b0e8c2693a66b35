import Testing

@testable import Frames
