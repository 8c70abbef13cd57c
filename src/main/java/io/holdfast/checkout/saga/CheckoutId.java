package io.holdfast.checkout.saga;

import io.holdfast.pool.PoolName;
import java.util.Optional;
import java.util.regex.Pattern;

/// The id of a checkout, opaque to clients. It has 130 random bits, so it cannot be guessed and
/// equals no token.
public record CheckoutId(PoolName pool, String code) {
  public static final int CODE_LENGTH = 26;
  private static final Pattern CODE = Pattern.compile("[0-9a-v]{26}");
  private static final Pattern WIRE = Pattern.compile("co~([A-Za-z0-9._-]{1,64})~([0-9a-v]{26})");

  public CheckoutId {
    if (!CODE.matcher(code).matches()) {
      throw new IllegalArgumentException("a checkout's code has 26 of 0-9 a-v, was " + code);
    }
  }

  /// Empty for whatever is not the one written form of an id: such a checkout cannot exist.
  public static Optional<CheckoutId> parse(String wire) {
    var matcher = WIRE.matcher(wire);
    return matcher.matches()
        ? Optional.of(new CheckoutId(new PoolName(matcher.group(1)), matcher.group(2)))
        : Optional.empty();
  }

  /// The form on the wire and in records.
  @Override
  public String toString() {
    return "co~" + pool + "~" + code;
  }
}
