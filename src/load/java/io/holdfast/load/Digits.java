package io.holdfast.load;

/// Placeholders for digits in a text: control characters, one per meaning, which requests do not
/// contain otherwise.
public final class Digits {
  public static final byte POOL = 1;
  public static final byte ITEM = 2;
  public static final byte NUMBER = 3;

  private Digits() {}

  static boolean isDigit(byte b) {
    return b >= POOL && b <= NUMBER;
  }

  public static String of(byte meaning, int width) {
    return Character.toString(meaning).repeat(width);
  }
}
