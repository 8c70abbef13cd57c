package io.holdfast.stream;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// One secret key of a deployment. It never shows its secret.
final class IdKey {
  static final int SECRET_LENGTH_MIN = 32;
  static final int SECRET_LENGTH_MAX = 1_024;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int FINGERPRINT_BYTES = 16;

  /// No canonical form of an id begins like this: its first four bytes are a length.
  private static final byte[] FINGERPRINT =
      "holdfast stream key fingerprint".getBytes(StandardCharsets.US_ASCII);

  private final int version;
  private final SecretKeySpec secret;

  /// @param secret visible ASCII characters without a comma, at least 32 of them
  IdKey(int version, String secret) {
    if (version < 1) {
      throw new IllegalArgumentException("must number its keys from 1");
    }
    if (secret.length() < SECRET_LENGTH_MIN || secret.length() > SECRET_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "must have %d to %d characters in each secret"
              .formatted(SECRET_LENGTH_MIN, SECRET_LENGTH_MAX));
    }
    if (!secret.chars().allMatch(c -> c > ' ' && c < 0x7f && c != ',')) {
      throw new IllegalArgumentException("must have visible ASCII characters only in each secret");
    }
    this.version = version;
    this.secret = new SecretKeySpec(secret.getBytes(StandardCharsets.US_ASCII), ALGORITHM);
  }

  int version() {
    return version;
  }

  byte[] mac(byte[] message) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      return mac.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Tells two secrets apart without revealing one.
  byte[] fingerprint() {
    return Arrays.copyOf(mac(FINGERPRINT), FINGERPRINT_BYTES);
  }

  boolean hasSecretOf(IdKey other) {
    return secret.equals(other.secret);
  }

  @Override
  public String toString() {
    return "key " + version;
  }
}
