package io.holdfast.reservation;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.holdfast.pool.ItemId;
import io.micronaut.context.annotation.Context;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// How values are stored: as they are, or as a keyed hash if the deployment has a key. With a key,
/// Redis, the journal, Postgres and the events never have the value. Equal values have equal
/// hashes, so they are still unique and can be looked up.
@Context // so that a wrong setting stops the start
final class StoredValue {
  private static final String SETTING = "holdfast.unique-key";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_MIN = 16;

  private final @Nullable SecretKeySpec key;

  StoredValue(Settings settings) {
    var text = settings.text(SETTING).orElse("");
    if (!text.isEmpty() && text.length() < KEY_MIN) {
      throw new InvalidSetting(
          SETTING, "must have at least %d characters".formatted(KEY_MIN), "a shorter one");
    }
    this.key =
        text.isEmpty() ? null : new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), ALGORITHM);
  }

  boolean isHashed() {
    return key != null;
  }

  /// The item that stands for the value.
  ItemId of(ReservationKey wanted) {
    return new ItemId(key == null ? wanted.value() : hash(wanted, key));
  }

  /// The type is hashed too, so that equal values of two types cannot be recognised.
  private static String hash(ReservationKey wanted, SecretKeySpec key) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      var bytes = mac.doFinal(wanted.toString().getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
