package io.holdfast.bench;

/// Stand-ins for digits in a text, one control character per meaning, which no request contains
/// otherwise.
final class Digits {
  static final byte POOL = 1;
  static final byte ITEM = 2;
  static final byte NUMBER = 3;

  private Digits() {}

  static boolean isDigit(byte b) {
    return b >= POOL && b <= NUMBER;
  }

  static String of(byte meaning, int width) {
    return Character.toString(meaning).repeat(width);
  }
}
