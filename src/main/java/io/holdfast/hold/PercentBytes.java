package io.holdfast.hold;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// Percent-encoding of bytes that need not be valid UTF-8.
final class PercentBytes {
  private static final int RADIX = 16;

  private PercentBytes() {}

  /// Returns one char per byte. A percent sign without two hexadecimal digits after it is kept.
  static String decode(String encoded) {
    var bytes = new ByteArrayOutputStream(encoded.length());
    for (var i = 0; i < encoded.length(); i++) {
      var c = encoded.charAt(i);
      if (c == '%' && i + 2 < encoded.length() && isHex(encoded, i + 1) && isHex(encoded, i + 2)) {
        bytes.write(Integer.parseInt(encoded, i + 1, i + 3, RADIX));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  /// Encodes everything but ASCII letters, digits, `-`, `_` and `.`.
  static String encode(String token) {
    var text = new StringBuilder(token.length());
    for (var i = 0; i < token.length(); i++) {
      var c = token.charAt(i);
      if (c < 0x80 && (Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == '.')) {
        text.append(c);
      } else {
        text.append('%').append("%02X".formatted((int) c));
      }
    }
    return text.toString();
  }

  private static boolean isHex(String text, int index) {
    return Character.digit(text.charAt(index), RADIX) >= 0;
  }
}
