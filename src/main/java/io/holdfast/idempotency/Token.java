package io.holdfast.idempotency;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The caller's name for one intended call. Opaque: it is neither folded nor trimmed nor
/// normalised.
///
/// @param value one char (0 to 255) for each byte of the header
public record Token(String value) implements TokenParseResult {
  public static final int LENGTH_MAX_DEFAULT = 256;

  public Token {
    var fault = fault(value);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
  }

  /// Parses the values of all headers named `Idempotency-Key`. A value that begins with a quote is
  /// a String of RFC 9651; any other value is the token itself.
  ///
  /// @param lengthMax of the token in bytes, without quotes and escapes
  public static TokenParseResult read(List<String> headers, int lengthMax) {
    if (headers.isEmpty()) {
      return new MalformedToken("This call needs a header Idempotency-Key.");
    }
    if (headers.size() > 1) {
      return new MalformedToken("There may be only one header Idempotency-Key.");
    }
    var raw = headers.getFirst();
    var value = raw.startsWith("\"") ? unquoted(raw) : raw;
    if (value == null) {
      return new MalformedToken(
          "An Idempotency-Key that begins with a quote has to be a String of RFC 9651.");
    }
    return of(value, lengthMax);
  }

  /// @param value one char a byte
  public static TokenParseResult of(String value, int lengthMax) {
    if (value.length() > lengthMax) {
      return new MalformedToken("An Idempotency-Key has at most " + lengthMax + " bytes.");
    }
    var fault = fault(value);
    return fault == null ? new Token(value) : new MalformedToken(fault);
  }

  private static @Nullable String fault(String value) {
    if (value.isEmpty()) {
      return "An Idempotency-Key must not be empty.";
    }
    for (var i = 0; i < value.length(); i++) {
      var c = value.charAt(i);
      if (c < ' ' || c == 0x7f || c > 0xff) {
        return "An Idempotency-Key has no control characters.";
      }
    }
    return null;
  }

  /// The text between the quotes, or null if it is not a String of RFC 9651: that has only ASCII,
  /// escapes only quotes and backslashes, and ends with the closing quote.
  private static @Nullable String unquoted(String raw) {
    var end = raw.length() - 1;
    if (end < 1 || raw.charAt(end) != '"') {
      return null;
    }
    var text = new StringBuilder(end);
    for (var i = 1; i < end; i++) {
      var c = raw.charAt(i);
      if (c == '"' || c < ' ' || c > '~') {
        return null;
      }
      if (c == '\\') {
        i++;
        c = raw.charAt(i);
        if (i == end || c != '"' && c != '\\') { // it would escape the closing quote
          return null;
        }
      }
      text.append(c);
    }
    return text.toString();
  }
}
