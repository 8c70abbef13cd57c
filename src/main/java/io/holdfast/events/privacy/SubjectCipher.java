package io.holdfast.events.privacy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// AES-GCM with the key of one person. What is sealed opens only with that key and at the place it
/// was sealed for, so that nobody can move a part of one event into another.
final class SubjectCipher {
  static final int KEY_BYTES = 32;

  private static final String ALGORITHM = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;

  SubjectCipher(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
  }

  String close(String text, String place, SecureRandom random) {
    var nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    var sealed = run(Cipher.ENCRYPT_MODE, nonce, text.getBytes(StandardCharsets.UTF_8), place);
    var whole = ByteBuffer.allocate(nonce.length + sealed.length).put(nonce).put(sealed);
    return Base64.getEncoder().encodeToString(whole.array());
  }

  String open(String sealed, String place) {
    var whole = ByteBuffer.wrap(Base64.getDecoder().decode(sealed));
    var nonce = new byte[NONCE_BYTES];
    whole.get(nonce);
    var rest = new byte[whole.remaining()];
    whole.get(rest);
    return new String(run(Cipher.DECRYPT_MODE, nonce, rest, place), StandardCharsets.UTF_8);
  }

  private byte[] run(int mode, byte[] nonce, byte[] input, String place) {
    try {
      var cipher = Cipher.getInstance(ALGORITHM);
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a part of an event at " + place + " does not open", e);
    }
  }
}
