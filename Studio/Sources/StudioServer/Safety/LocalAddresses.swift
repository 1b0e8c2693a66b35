import Foundation

/// The addresses under which others on the local network reach this machine.
struct LocalAddresses {
  /// IPv4, loopback left out, those of private networks first.
  let addresses: [[UInt8]]
  let hostName: String

  init() {
    var found: [[UInt8]] = []
    var list: UnsafeMutablePointer<ifaddrs>?
    if getifaddrs(&list) == 0 {
      defer { freeifaddrs(list) }
      var next = list
      while let entry = next {
        next = entry.pointee.ifa_next
        guard let address = entry.pointee.ifa_addr, address.pointee.sa_family == UInt16(AF_INET) else { continue }
        let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
        }
        if bytes.first != 127, !found.contains(bytes) { found.append(bytes) }
      }
    }
    let isPrivate = { (a: [UInt8]) in
      a[0] == 10 || a[0] == 192 && a[1] == 168 || a[0] == 172 && (16..<32).contains(a[1])
    }
    addresses = found.filter(isPrivate) + found.filter { !isPrivate($0) }
    hostName = ProcessInfo.processInfo.hostName
  }

  static func text(_ address: [UInt8]) -> String { address.map(String.init).joined(separator: ".") }
}
