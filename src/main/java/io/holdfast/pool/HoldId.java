package io.holdfast.pool;

import java.util.Optional;
import java.util.regex.Pattern;

/// Identifies one hold. The fence makes it unique, and the salt (80 random bits) makes it hard to
/// guess. It is opaque to clients.
public record HoldId(PoolName pool, Fence fence, String salt) {
  private static final int RADIX = 36;
  private static final int SALT_LENGTH = 16;
  private static final Pattern WIRE =
      Pattern.compile("([A-Za-z0-9._-]{1,64})~([1-9a-z][0-9a-z]{0,10})~([0-9a-v]{16})");

  public HoldId {
    if (!isSalt(salt)) {
      throw new IllegalArgumentException("a salt has 16 of 0-9 a-v, was \"" + salt + "\"");
    }
  }

  /// Checked without a regular expression: one call creates several ids.
  private static boolean isSalt(String salt) {
    for (var i = 0; i < salt.length(); i++) {
      var c = salt.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'v')) {
        return false;
      }
    }
    return salt.length() == SALT_LENGTH;
  }

  /// Returns empty for a text that is not the id of a possible hold.
  public static Optional<HoldId> parse(String wire) {
    var matcher = WIRE.matcher(wire);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      var fence = new Fence(Long.parseLong(matcher.group(2), RADIX));
      return Optional.of(new HoldId(new PoolName(matcher.group(1)), fence, matcher.group(3)));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // out of the range of fences
    }
  }

  /// The form in the API and in records.
  @Override
  public String toString() {
    return pool + "~" + Long.toString(fence.value(), RADIX) + "~" + salt;
  }
}
