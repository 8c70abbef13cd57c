package io.holdfast.web;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Checks the bytes of a body before Jackson parses them, because Jackson guesses at UTF-16, lets
/// overlong sequences pass and accepts lone surrogates that are written as escapes.
///
/// @param hasEscapes whether its texts may have lone surrogates
record Utf8Check(boolean hasEscapes) {

  static Utf8Check of(byte[] bytes) {
    var hasEscapes = false;
    var isAscii = true;
    for (var b : bytes) {
      if (b == 0) { // never in JSON in UTF-8, always in its other encodings
        throw new UnparsableBody("The body has to be JSON in UTF-8.");
      }
      hasEscapes |= b == '\\';
      isAscii &= b > 0;
    }
    if (!isAscii) {
      refuseOtherThanUtf8(bytes);
    }
    return new Utf8Check(hasEscapes);
  }

  private static void refuseOtherThanUtf8(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
    } catch (CharacterCodingException e) {
      throw new UnparsableBody("The body has to be JSON in UTF-8.");
    }
  }

  /// Whether a high surrogate has no low one after it, or a low one has no high one before it.
  static boolean hasLoneSurrogate(String text) {
    for (var i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        var isPair =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!isPair) {
          return true;
        }
        i++;
      }
    }
    return false;
  }
}
