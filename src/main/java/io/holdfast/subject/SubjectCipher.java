package io.holdfast.subject;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// AES-GCM with the key of one person. The position (event and path) is authenticated, so that a
/// ciphertext cannot be moved to another field or event.
public final class SubjectCipher {
  private static final String ALGORITHM = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;

  public SubjectCipher(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
  }

  public String encrypt(String text, String position, SecureRandom random) {
    var nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    var ciphertext =
        run(Cipher.ENCRYPT_MODE, nonce, text.getBytes(StandardCharsets.UTF_8), position);
    var bytes = ByteBuffer.allocate(nonce.length + ciphertext.length).put(nonce).put(ciphertext);
    return Base64.getEncoder().encodeToString(bytes.array());
  }

  public String decrypt(String encoded, String position) {
    var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
    var nonce = new byte[NONCE_BYTES];
    bytes.get(nonce);
    var ciphertext = new byte[bytes.remaining()];
    bytes.get(ciphertext);
    return new String(
        run(Cipher.DECRYPT_MODE, nonce, ciphertext, position), StandardCharsets.UTF_8);
  }

  private byte[] run(int mode, byte[] nonce, byte[] input, String position) {
    try {
      var cipher = Cipher.getInstance(ALGORITHM);
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(position.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "the personal value at " + position + " cannot be encrypted or decrypted", e);
    }
  }
}
