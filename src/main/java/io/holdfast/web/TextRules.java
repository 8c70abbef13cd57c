package io.holdfast.web;

import org.jspecify.annotations.Nullable;

/// The rule for every text that goes into a key, a record or a line of the journal.
final class TextRules {
  static final int BYTES_MAX = 128;
  private static final int SHOWN_MAX = 64;

  private TextRules() {}

  /// What is wrong with the text, as the end of a sentence; null if nothing is.
  static @Nullable String fault(String text) {
    return fault(text, BYTES_MAX);
  }

  static @Nullable String fault(String text, int bytesMax) {
    var bytes = 0;
    for (var i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (Character.isISOControl(c)) { // C0, DEL and C1
        return "must not have control characters";
      }
      bytes += bytes(c);
    }
    return bytes == 0 || bytes > bytesMax ? "has to have 1 to " + bytesMax + " bytes" : null;
  }

  /// Of UTF-8; each half of a pair of surrogates stands for two of its four.
  private static int bytes(char c) {
    if (c < 0x80) {
      return 1;
    }
    return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
  }

  /// A name that the caller chose, fit for a sentence.
  static String shown(String name) {
    var shown = name.length() > SHOWN_MAX ? name.substring(0, SHOWN_MAX) + "…" : name;
    return fault(shown) == null ? shown : "(unnamed)";
  }
}
