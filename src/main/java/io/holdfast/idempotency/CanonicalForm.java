package io.holdfast.idempotency;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Encodes a tree of plain values as bytes: a letter for the type, then a length, then the content,
/// with members sorted by name. Different trees give different bytes. Locale, time zone and the
/// order of members have no effect. A member that is null counts as absent.
final class CanonicalForm {
  private static final int INITIAL_CAPACITY = 256;
  private static final int INT_BYTES = 4;
  private static final int UTF8_BYTES_MAX = 3; // per char: a pair of surrogates takes four

  private byte[] bytes = new byte[INITIAL_CAPACITY];
  private int length;

  byte[] hash(MessageDigest function) {
    function.update(bytes, 0, length);
    return function.digest();
  }

  void object(Map<String, ?> members, @Nullable String leftOut) {
    tag('o');
    var countAt = length;
    number(0);
    var names = members.keySet().toArray(String[]::new);
    Arrays.sort(names);
    var count = 0;
    for (var name : names) {
      var value = members.get(name);
      if (value != null && !name.equals(leftOut)) {
        text(name);
        value(value);
        count++;
      }
    }
    numberAt(countAt, count);
  }

  void list(List<?> elements) {
    tag('a');
    number(elements.size());
    for (var element : elements) {
      value(element);
    }
  }

  void text(String text) {
    tag('s');
    var lengthAt = length;
    number(0);
    utf8(text);
    numberAt(lengthAt, length - lengthAt - INT_BYTES);
  }

  private void value(@Nullable Object value) {
    switch (value) {
      case null -> tag('z');
      case String text -> text(text);
      case Boolean isTrue -> tag(isTrue ? 't' : 'f');
      case Integer whole -> whole(whole);
      case Long whole -> whole(whole);
      case BigInteger whole -> decimal(whole.toString(), 0);
      case BigDecimal decimal ->
          decimal(decimal.unscaledValue().toString(), -(long) decimal.scale());
      case List<?> elements -> list(elements);
      case Map<?, ?> members -> object(stringKeys(members), null);
      default -> throw new IllegalArgumentException("no digest of a " + value.getClass());
    }
  }

  @SuppressWarnings("unchecked") // sorting fails on a key that is not a String
  private static Map<String, ?> stringKeys(Map<?, ?> members) {
    return (Map<String, ?>) members;
  }

  /// Trailing zeros move into the exponent, so 1, 1.0 and 1e0 are equal, and 100 is 1e2.
  private void whole(long whole) {
    var digits = whole;
    var exponent = 0;
    while (digits != 0 && digits % 10 == 0) {
      digits /= 10;
      exponent++;
    }
    tag('n');
    eightBytes(exponent);
    ascii(Long.toString(digits));
  }

  /// Never expands the number: a few characters can make the exponent astronomic.
  private void decimal(String unscaled, long exponent) {
    var end = unscaled.length();
    while (end > 1 && unscaled.charAt(end - 1) == '0') {
      end--;
    }
    var isZero = end == 1 && unscaled.charAt(0) == '0';
    tag('n');
    eightBytes(isZero ? 0 : exponent + unscaled.length() - end);
    ascii(unscaled.substring(0, end));
  }

  private void ascii(String text) {
    number(text.length());
    utf8(text);
  }

  /// The encoders of the JDK replace a lone surrogate by a question mark, which would make
  /// different texts equal.
  private void utf8(String text) {
    reserve(text.length() * UTF8_BYTES_MAX);
    for (var i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (c < 0x80) {
        bytes[length++] = (byte) c;
      } else {
        i += multiByte(text.codePointAt(i)) - 1;
      }
    }
  }

  private int multiByte(int point) {
    if (point < 0x800) {
      bytes[length++] = (byte) (0xc0 | point >> 6);
    } else if (point < 0x10000) {
      bytes[length++] = (byte) (0xe0 | point >> 12);
      bytes[length++] = (byte) (0x80 | point >> 6 & 0x3f);
    } else {
      bytes[length++] = (byte) (0xf0 | point >> 18);
      bytes[length++] = (byte) (0x80 | point >> 12 & 0x3f);
      bytes[length++] = (byte) (0x80 | point >> 6 & 0x3f);
    }
    bytes[length++] = (byte) (0x80 | point & 0x3f);
    return Character.charCount(point);
  }

  private void tag(char type) {
    reserve(1);
    bytes[length++] = (byte) type;
  }

  private void eightBytes(long number) {
    number((int) (number >> 32));
    number((int) number);
  }

  private void number(int number) {
    reserve(INT_BYTES);
    numberAt(length, number);
    length += INT_BYTES;
  }

  private void numberAt(int position, int number) {
    for (var i = 0; i < INT_BYTES; i++) {
      bytes[position + i] = (byte) (number >> 8 * (INT_BYTES - 1 - i));
    }
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }
}
