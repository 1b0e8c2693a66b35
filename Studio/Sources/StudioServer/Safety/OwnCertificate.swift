import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate that this server makes for itself: browsers warn once, and then give the page a camera.
struct OwnCertificate {
  let configuration: TLSConfiguration
  /// Of the certificate, to be compared with what the browser shows: SHA-256 in pairs of hexadecimal digits.
  let fingerprint: String

  /// - Parameters:
  ///   - names: of the host.
  ///   - addresses: of it, four numbers each.
  init(names: [String], addresses: [[UInt8]]) throws {
    let key = P256.Signing.PrivateKey()
    let name = try DistinguishedName { CommonName("cleanplate studio") }
    let alternatives =
      names.map { GeneralName.dnsName($0) }
      + addresses.map { GeneralName.ipAddress(ASN1OctetString(contentBytes: $0[...])) }
    let now = Date()
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
      notValidBefore: now - 3_600, notValidAfter: now + 30 * 86_400, issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames(alternatives)
      }, issuerPrivateKey: .init(key))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    let bytes = serializer.serializedBytes
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(try NIOSSLCertificate(bytes: bytes, format: .der))],
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)))
    configuration.minimumTLSVersion = .tlsv12
    self.configuration = configuration
    fingerprint = SHA256.hash(data: bytes).map { String(format: "%02X", $0) }.joined(separator: ":")
  }
}
