package io.holdfast.web;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// What has to be known of the bytes of a body before a parser sees them. Jackson guesses at
/// UTF-16, lets overlong sequences pass, and takes lone surrogates that were written as escapes.
///
/// @param hasEscapes whether texts in it may hold lone surrogates
record Utf8Check(boolean hasEscapes) {

  static Utf8Check of(byte[] bytes) {
    var hasEscapes = false;
    var isAscii = true;
    for (var b : bytes) {
      if (b == 0) { // never part of JSON in UTF-8, and in every other encoding of it
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

  /// Whether a high surrogate stands without its low one, or a low one without its high one.
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
