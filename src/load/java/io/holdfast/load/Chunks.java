package io.holdfast.load;

import java.nio.ByteBuffer;

/// Walks over the chunks of a body as far as they have come. Trailers are not expected.
final class Chunks {
  private int at;
  private boolean isLast;

  void begin(int bodyAt) {
    at = bodyAt;
    isLast = false;
  }

  /// Whether the last chunk and the empty line behind it are there.
  boolean areWhole(ByteBuffer in) {
    while (!isLast) {
      var sizeEnd = lineEnd(in);
      if (sizeEnd < 0) {
        return false;
      }
      var size = hexNumber(in, sizeEnd);
      isLast = size == 0;
      at = sizeEnd + size + 2;
    }
    return in.position() >= at;
  }

  /// The index behind the line that begins at `at`, or -1 if it has not come yet.
  private int lineEnd(ByteBuffer in) {
    for (int i = at; i < in.position(); i++) {
      if (in.get(i) == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  private int hexNumber(ByteBuffer in, int end) {
    var number = 0;
    for (int i = at; i < end; i++) {
      var digit = Character.digit(in.get(i), 16);
      if (digit < 0) {
        break; // an extension, or the end of the line
      }
      number = number * 16 + digit;
    }
    return number;
  }
}
