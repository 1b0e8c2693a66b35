import CCrypto

/// The SHA-256 of some bytes (FIPS 180-4) in hexadecimal digits, by OpenSSL's `EVP_Digest`; nil when it fails.
func sha256(_ bytes: [UInt8]) -> String? {
  var digest = [UInt8](repeating: 0, count: 32)
  var length = UInt32(0)
  guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1 else { return nil }
  return digest.map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0\(digits)" : digits
  }.joined()
}
