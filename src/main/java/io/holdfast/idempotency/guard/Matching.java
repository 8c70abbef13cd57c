package io.holdfast.idempotency.guard;

import io.holdfast.idempotency.Digest;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/// Which identities a guard considers equal.
public enum Matching {
  /// Equal char by char.
  EXACT,
  /// Equal except for case.
  IGNORING_CASE,
  /// Equal to a reader: except for case, Unicode form, and blanks around and between words.
  NORMALISED,
  /// Equal char by char; the store gets only a hash.
  HASHED;

  private static final int PLAIN_MAX = 200;
  private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Z}]+");

  /// The form that is stored and compared. Texts that a store might refuse, because they are long
  /// or have control characters, are hashed.
  String key(String identity) {
    var form =
        switch (this) {
          case EXACT, HASHED -> identity;
          case IGNORING_CASE -> folded(identity);
          case NORMALISED ->
              BLANKS
                  .matcher(folded(Normalizer.normalize(identity, Normalizer.Form.NFKC)))
                  .replaceAll(" ")
                  .strip();
        };
    return this == HASHED || !isPlain(form) ? "#" + Digest.hash(form) : "=" + form;
  }

  /// Up and down again, because some letters have several forms of the other case.
  private static String folded(String text) {
    return text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
  }

  private static boolean isPlain(String text) {
    return text.length() <= PLAIN_MAX && text.chars().allMatch(Matching::isPlain);
  }

  private static boolean isPlain(int c) {
    return !Character.isISOControl(c) && !Character.isSurrogate((char) c);
  }
}
