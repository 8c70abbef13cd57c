package io.holdfast.pool;

import java.nio.charset.StandardCharsets;

/// Identifies one seat or value of a pool: 1 to 512 bytes of UTF-8 without control characters,
/// because those divide the fields of records. Names of seats are shorter: requests limit them.
public record ItemId(String value) {
  private static final int BYTES_MAX = 512;

  public ItemId {
    if (value.isEmpty() || value.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
      throw new IllegalArgumentException("an item has 1 to 512 bytes, this one is " + value);
    }
    for (var i = 0; i < value.length(); i++) {
      if (Character.isISOControl(value.charAt(i))) {
        throw new IllegalArgumentException("an item has no control characters in it");
      }
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
