package io.holdfast.stream;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/// Computes the id of a stream from the business key of its entity: `{EntityType}:{hash}`. Equal
/// input gives equal ids, on every machine and in every version. Without the deployment key nobody
/// can compute an id, so nobody can find a business key by trying likely ones. Programs other than
/// the service can use this class; it needs nothing but the JDK.
///
/// The hash is HMAC-SHA-256 of the canonical form, as a number modulo 62^16, in 16 characters of
/// `0-9A-Za-z`. Of 2^256 values each of the 62^16 remainders gets an equal share up to one value:
/// the probabilities of two ids differ by less than one part in 2^160, which no test can measure.
/// An id has 95 bits. Two of a million streams have equal ids with a probability of 1 in 10^17. The
/// second of them would be refused as taken; two entities never share a stream.
///
/// Texts are compared byte by byte in UTF-8. A caller that wants `Alice` and `alice`, or two forms
/// of one Unicode character, to be one value normalises before.
public final class DeterministicStreamIds {
  private static final int HALF_LENGTH = 8;
  private static final int BASE = 62;
  private static final BigInteger HALF = BigInteger.valueOf(BASE).pow(HALF_LENGTH);
  private static final BigInteger WHOLE = HALF.pow(2);
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  /// Separates these hashes from others that may be made with the same secret one day.
  private static final String PURPOSE = "holdfast stream id 1";

  static final String ENTITY_TYPE = "[A-Za-z][A-Za-z0-9]{0,63}";
  private static final Pattern ENTITY_TYPE_FORM = Pattern.compile(ENTITY_TYPE);

  private final IdKeys keys;

  public DeterministicStreamIds(IdKeys keys) {
    this.keys = keys;
  }

  /// The id under the current key.
  ///
  /// @param entityType letters and digits, the first one a letter, at most 64
  /// @param businessKey one or more texts of any length; their order counts
  public String deterministicStreamId(String entityType, String... businessKey) {
    return id(keys.current(), entityType, canonicalForm(entityType, List.of(businessKey)));
  }

  /// The ids under all keys, that of the current key first.
  List<String> idsUnderAllKeys(String entityType, List<String> businessKey) {
    var form = canonicalForm(entityType, businessKey);
    return keys.all().stream().map(key -> id(key, entityType, form)).distinct().toList();
  }

  private static String id(IdKey key, String entityType, byte[] canonicalForm) {
    return entityType + ":" + base62(key.mac(canonicalForm));
  }

  /// Each text follows its length in bytes, so no two lists of texts have one form: neither `ab`,
  /// `c` and `a`, `bc`, nor a text with a separator in it.
  private static byte[] canonicalForm(String entityType, List<String> businessKey) {
    if (!ENTITY_TYPE_FORM.matcher(entityType).matches()) {
      throw new IllegalArgumentException(
          "the entity type has to be a letter and at most 63 more letters and digits");
    }
    if (businessKey.isEmpty()) {
      throw new IllegalArgumentException("the business key has to have one or more parts");
    }
    var bytes = new ByteArrayOutputStream();
    try (var form = new DataOutputStream(bytes)) {
      write(form, PURPOSE);
      write(form, entityType);
      for (var part : businessKey) {
        write(form, part);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream form, String text) throws IOException {
    var bytes = utf8(text);
    form.writeInt(bytes.length);
    form.write(bytes);
  }

  /// Refuses half a character: `String.getBytes` would make a question mark of it, and two
  /// different texts would have one id.
  private static byte[] utf8(String text) {
    try {
      var buffer = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      var bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a text has a lone surrogate, which is half a character");
    }
  }

  static String base62(byte[] mac) {
    var halves = new BigInteger(1, mac).mod(WHOLE).divideAndRemainder(HALF);
    return digits(halves[0].longValueExact()) + digits(halves[1].longValueExact());
  }

  private static String digits(long number) {
    var digits = new char[HALF_LENGTH];
    var rest = number;
    for (var i = HALF_LENGTH - 1; i >= 0; i--) {
      digits[i] = DIGITS.charAt((int) (rest % BASE));
      rest /= BASE;
    }
    return new String(digits);
  }
}
