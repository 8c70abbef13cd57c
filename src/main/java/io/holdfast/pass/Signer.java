package io.holdfast.pass;

import io.holdfast.stream.IdKeys;
import io.holdfast.stream.IdKeys.DerivedKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Signs texts with keys that are derived from those of the deployment. The current key signs, and
/// all keys verify, so keys can be rotated. Comparisons take the same time for every wrong text.
final class Signer {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int BYTES = 16;

  /// Each with an instance of the algorithm that its key has initialised. A copy of it is cheaper
  /// than a new one, and tickets are verified at every look.
  private final List<VersionedMac> keys;

  private record VersionedMac(int version, Mac mac) {}

  /// @param purpose keeps the signatures of one purpose from being valid for another
  Signer(IdKeys keys, String purpose) {
    this.keys = keys.derived(purpose).stream().map(Signer::initialised).toList();
  }

  int currentVersion() {
    return keys.getFirst().version();
  }

  /// Signs with the current key.
  String sign(String... fields) {
    return mac(keys.getFirst(), fields);
  }

  boolean isSigned(String version, String signature, String... fields) {
    var key = key(version);
    return key != null && MessageDigest.isEqual(ascii(signature), ascii(mac(key, fields)));
  }

  private @Nullable VersionedMac key(String version) {
    for (var key : keys) {
      if (Integer.toString(key.version()).equals(version)) {
        return key;
      }
    }
    return null;
  }

  private static VersionedMac initialised(DerivedKey key) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.secret(), ALGORITHM));
      return new VersionedMac(key.version(), mac);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// No field contains a line feed: names have no control characters.
  private static String mac(VersionedMac key, String... fields) {
    try {
      var mac = (Mac) key.mac().clone();
      var all = mac.doFinal(String.join("\n", fields).getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(all, BYTES));
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
