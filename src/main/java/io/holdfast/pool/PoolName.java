package io.holdfast.pool;

import java.util.regex.Pattern;

/// Identifies one pool. All Redis keys of a pool share a hash tag with its name.
public record PoolName(String value) {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  public PoolName {
    if (!isName(value)) {
      throw new IllegalArgumentException(
          "a pool's name has 1 to 64 of A-Z a-z 0-9 . _ -, but this one is \"" + value + "\"");
    }
  }

  public static boolean isName(String text) {
    return FORM.matcher(text).matches();
  }

  /// The name of one of this pool's Redis keys.
  public String key(String suffix) {
    return "{p:" + value + "}:" + suffix;
  }

  @Override
  public String toString() {
    return value;
  }
}
