package io.holdfast.web;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The rule for a text that goes into a key, a record or a line of the journal: a number of bytes,
/// no control characters, and a form where one is given.
///
/// @param otherForm what is wrong with a text of another form, as the end of a sentence
record TextRule(int bytesMax, @Nullable Pattern form, @Nullable String otherForm) {
  /// The largest text in a request, unless its field says otherwise.
  static final int BYTES_MAX = 128;

  static final TextRule ANY = new TextRule(BYTES_MAX, null, null);

  private static final int SHOWN_MAX = 64;

  /// What is wrong with the text, as the end of a sentence; null if nothing is.
  @Nullable String fault(String text) {
    var bytes = 0;
    for (var i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (Character.isISOControl(c)) { // C0, DEL and C1
        return "must not have control characters";
      }
      bytes += bytes(c);
    }
    if (bytes == 0 || bytes > bytesMax) {
      return "has to have 1 to " + bytesMax + " bytes";
    }
    return form == null || form.matcher(text).matches() ? null : otherForm;
  }

  /// The bytes of a character in UTF-8. A pair of surrogates has four, so each of them counts two.
  private static int bytes(char c) {
    if (c < 0x80) {
      return 1;
    }
    return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
  }

  /// A name chosen by the caller, cut so that it fits into a sentence.
  static String shown(String name) {
    var shown = name.length() > SHOWN_MAX ? name.substring(0, SHOWN_MAX) + "…" : name;
    return ANY.fault(shown) == null ? shown : "(unnamed)";
  }
}
