import CryptoKit
import Foundation

/// Seals a capture into a secure container (docs/container.md) with CryptoKit alone: iOS 15. Send the bytes with Content-Type
/// application/octet-stream.
struct Sealer {
  enum Failure: Error { case badKey, tooLong }

  private let serverKey: P256.KeyAgreement.PublicKey
  private let keyId: String
  private var entries: [[String: Any]] = []
  private var parts: [Data] = []

  /// - Parameters: members "kid", "x" and "y" of the key in /api/jwks that has "use": "enc"
  init(keyId: String, x: String, y: String) throws {
    guard let x = Data(base64Url: x), let y = Data(base64Url: y) else { throw Failure.badKey }
    serverKey = try P256.KeyAgreement.PublicKey(rawRepresentation: x + y)
    self.keyId = keyId
  }

  /// - Parameter payload: what is asked for, such as `["analyses": [["type": "quality"]]]`
  mutating func add(payload: [String: Any]) throws {
    add(["type": "payload"], try JSONSerialization.data(withJSONObject: payload))
  }

  /// - Parameters:
  ///   - name: the key of the medium; no two media have the same
  ///   - evidence: about its capture
  mutating func add(medium: Data, name: String, tags: [String], evidence: [String: Any]? = nil) throws {
    add(["type": "media", "name": name, "tags": tags], medium)
    guard let evidence = evidence else { return }
    add(["type": "evidence", "name": name], try JSONSerialization.data(withJSONObject: evidence))
  }

  /// - Parameter sessionToken: from /api/authorize/session_token; it is spent when the container is accepted
  func seal(sessionToken: String) throws -> Data {
    let key = SymmetricKey(size: .bits256)
    var body = Data()
    for (position, part) in parts.enumerated() {
      let nonce = try AES.GCM.Nonce(data: Data(count: 8) + UInt32(position).bytes)
      let sealed = try AES.GCM.seal(part, using: key, nonce: nonce)
      body += sealed.ciphertext + sealed.tag
    }
    let secret = key.withUnsafeBytes { Data($0) }
    let head: [String: Any] = [
      "version": 1,
      "session_token": sessionToken,
      "key": ["kty": "oct", "k": secret.base64Url],
      "parts": entries,
    ]
    let jwe = try encrypt(head: JSONSerialization.data(withJSONObject: head))
    guard jwe.count <= 65_536 else { throw Failure.tooLong }
    return Data("VIVACE\n".utf8) + [1] + UInt32(jwe.count).bytes + jwe + body
  }

  private mutating func add(_ entry: [String: Any], _ bytes: Data) {
    entries.append(entry.merging(["size": bytes.count]) { _, size in size })
    parts.append(bytes)
  }

  /// A JWE in compact serialisation: ECDH-ES+A256KW (RFC 7518, 4.6) and A256GCM.
  private func encrypt(head: Data) throws -> Data {
    let own = P256.KeyAgreement.PrivateKey()
    let shared = try own.sharedSecretFromKeyAgreement(with: serverKey)
    let contentKey = SymmetricKey(size: .bits256)
    let wrapped = try AES.KeyWrap.wrap(contentKey, using: deriveKey(from: shared))
    let point = own.publicKey.rawRepresentation
    let header: [String: Any] = [
      "alg": "ECDH-ES+A256KW",
      "enc": "A256GCM",
      "typ": "vivace-container",
      "kid": keyId,
      "epk": [
        "kty": "EC", "crv": "P-256", "x": point.prefix(32).base64Url, "y": point.suffix(32).base64Url,
      ],
    ]
    let protected = try JSONSerialization.data(withJSONObject: header).base64Url
    let sealed = try AES.GCM.seal(head, using: contentKey, authenticating: Data(protected.utf8))
    let nonce = sealed.nonce.withUnsafeBytes { Data($0) }
    let fields = [wrapped, nonce, sealed.ciphertext, sealed.tag].map(\.base64Url)
    return Data(([protected] + fields).joined(separator: ".").utf8)
  }

  /// Concat KDF of one round (NIST SP 800-56A), with the algorithm as its only information.
  private func deriveKey(from shared: SharedSecret) -> SymmetricKey {
    let algorithm = Data("ECDH-ES+A256KW".utf8)
    var hash = SHA256()
    hash.update(data: UInt32(1).bytes)
    shared.withUnsafeBytes { hash.update(bufferPointer: $0) }
    hash.update(data: UInt32(algorithm.count).bytes + algorithm + Data(count: 8) + UInt32(256).bytes)
    return SymmetricKey(data: hash.finalize())
  }
}

extension UInt32 {
  /// Big-endian.
  fileprivate var bytes: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }
}

extension Data {
  fileprivate var base64Url: String {
    base64EncodedString()
      .replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  fileprivate init?(base64Url text: String) {
    let usual = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    self.init(base64Encoded: usual + String(repeating: "=", count: (4 - usual.count % 4) % 4))
  }
}
