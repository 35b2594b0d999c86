import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals a capture into a secure container (docs/container.md), with the platform's cryptography alone: Android from API 26, Java from 8.
 * Send the bytes with Content-Type application/octet-stream.
 */
public final class Sealer {
  private static final byte[] SIGNATURE = {'V', 'I', 'V', 'A', 'C', 'E', '\n', 1};
  private static final int HEAD_BYTES_MAX = 65_536;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final ECPublicKey serverKey;
  private final String keyId;
  private final List<String> entries = new ArrayList<>();
  private final List<byte[]> parts = new ArrayList<>();

  /**
   * @param keyId member "kid" of the key in /api/jwks that has "use": "enc"
   * @param x its member "x"
   * @param y its member "y"
   */
  public Sealer(String keyId, String x, String y) throws GeneralSecurityException {
    AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
    curve.init(new ECGenParameterSpec("secp256r1"));
    ECPoint point = new ECPoint(new BigInteger(1, decode(x)), new BigInteger(1, decode(y)));
    ECPublicKeySpec spec = new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class));
    this.serverKey = (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(spec);
    this.keyId = keyId;
  }

  /** @param json what is asked for, such as {"analyses": [{"type": "quality"}]} */
  public Sealer payload(String json) {
    return add("{\"type\":\"payload\"", utf8(json));
  }

  /**
   * @param name the key of the medium; no two media have the same
   * @param evidence JSON about its capture; null for none
   */
  public Sealer medium(String name, byte[] bytes, List<String> tags, String evidence) {
    List<String> quoted = new ArrayList<>();
    for (String tag : tags) quoted.add(quote(tag));
    String named = ",\"name\":" + quote(name);
    add("{\"type\":\"media\"" + named + ",\"tags\":[" + String.join(",", quoted) + "]", bytes);
    return evidence == null ? this : add("{\"type\":\"evidence\"" + named, utf8(evidence));
  }

  /** @param sessionToken from /api/authorize/session_token; it is spent when the container is accepted */
  public byte[] seal(String sessionToken) throws GeneralSecurityException, IOException {
    byte[] secret = new byte[32];
    RANDOM.nextBytes(secret);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int i = 0; i < parts.size(); i++) {
      byte[] iv = ByteBuffer.allocate(12).putInt(8, i).array();
      body.write(encrypt(secret, iv, new byte[0], parts.get(i)));
    }
    String head = "{\"version\":1,\"session_token\":" + quote(sessionToken)
        + ",\"key\":{\"kty\":\"oct\",\"k\":\"" + encode(secret) + "\"},\"parts\":[" + String.join(",", entries) + "]}";
    byte[] jwe = utf8(encryptHead(head));
    if (jwe.length > HEAD_BYTES_MAX) throw new IllegalArgumentException("Names and tags of the media are too long");
    ByteArrayOutputStream container = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(container);
    out.write(SIGNATURE);
    out.writeInt(jwe.length);
    out.write(jwe);
    body.writeTo(out);
    return container.toByteArray();
  }

  private Sealer add(String entry, byte[] bytes) {
    entries.add(entry + ",\"size\":" + bytes.length + "}");
    parts.add(bytes);
    return this;
  }

  /** A JWE in compact serialisation: ECDH-ES+A256KW (RFC 7518, 4.6) and A256GCM. */
  private String encryptHead(String head) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair own = generator.generateKeyPair();
    KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
    agreement.init(own.getPrivate());
    agreement.doPhase(serverKey, true);
    byte[] contentKey = new byte[32];
    RANDOM.nextBytes(contentKey);
    Cipher wrap = Cipher.getInstance("AESWrap");
    wrap.init(Cipher.WRAP_MODE, new SecretKeySpec(deriveKey(agreement.generateSecret()), "AES"));
    byte[] wrapped = wrap.wrap(new SecretKeySpec(contentKey, "AES"));

    ECPoint point = ((ECPublicKey) own.getPublic()).getW();
    String epk = "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" + encode(coordinate(point.getAffineX()))
        + "\",\"y\":\"" + encode(coordinate(point.getAffineY())) + "\"}";
    String header = encode(utf8("{\"alg\":\"ECDH-ES+A256KW\",\"enc\":\"A256GCM\",\"typ\":\"vivace-container\",\"kid\":"
        + quote(keyId) + ",\"epk\":" + epk + "}"));
    byte[] iv = new byte[12];
    RANDOM.nextBytes(iv);
    ByteBuffer sealed = ByteBuffer.wrap(encrypt(contentKey, iv, utf8(header), utf8(head)));
    byte[] ciphertext = new byte[sealed.remaining() - 16];
    byte[] tag = new byte[16];
    sealed.get(ciphertext).get(tag);
    return String.join(".", header, encode(wrapped), encode(iv), encode(ciphertext), encode(tag));
  }

  /** Concat KDF of one round (NIST SP 800-56A), with the algorithm as its only information. */
  private static byte[] deriveKey(byte[] shared) throws GeneralSecurityException {
    byte[] algorithm = utf8("ECDH-ES+A256KW");
    ByteBuffer input = ByteBuffer.allocate(4 + shared.length + 4 + algorithm.length + 4 + 4 + 4);
    input.putInt(1).put(shared).putInt(algorithm.length).put(algorithm).putInt(0).putInt(0).putInt(256);
    return MessageDigest.getInstance("SHA-256").digest(input.array());
  }

  /** Ciphertext and tag. */
  private static byte[] encrypt(byte[] key, byte[] iv, byte[] header, byte[] plain) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, iv));
    cipher.updateAAD(header);
    return cipher.doFinal(plain);
  }

  private static byte[] coordinate(BigInteger value) {
    byte[] signed = value.toByteArray();
    byte[] bytes = new byte[32];
    int length = Math.min(32, signed.length);
    System.arraycopy(signed, signed.length - length, bytes, 32 - length, length);
    return bytes;
  }

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char symbol : text.toCharArray()) {
      if (symbol == '"' || symbol == '\\') quoted.append('\\').append(symbol);
      else if (symbol < ' ') quoted.append(String.format("\\u%04x", (int) symbol));
      else quoted.append(symbol);
    }
    return quoted.append('"').toString();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] decode(String text) {
    return Base64.getUrlDecoder().decode(text);
  }
}
