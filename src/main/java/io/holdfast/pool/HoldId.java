package io.holdfast.pool;

import java.util.Optional;
import java.util.regex.Pattern;

/// Names one hold for ever: the fence makes it unique, the salt (80 random bits) makes it a secret
/// that cannot be guessed from its neighbours. Clients take it for opaque.
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

  /// Ids are made several times on the way of one call.
  private static boolean isSalt(String salt) {
    for (var i = 0; i < salt.length(); i++) {
      var c = salt.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'v')) {
        return false;
      }
    }
    return salt.length() == SALT_LENGTH;
  }

  /// Empty for whatever is not the one written form of an id: such a hold cannot exist.
  public static Optional<HoldId> parse(String wire) {
    var matcher = WIRE.matcher(wire);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      var fence = new Fence(Long.parseLong(matcher.group(2), RADIX));
      return Optional.of(new HoldId(new PoolName(matcher.group(1)), fence, matcher.group(3)));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // a number that no fence has
    }
  }

  /// The form on the wire and in records.
  @Override
  public String toString() {
    return pool + "~" + Long.toString(fence.value(), RADIX) + "~" + salt;
  }
}
