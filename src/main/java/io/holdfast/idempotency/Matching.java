package io.holdfast.idempotency;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/// Which identities a guard takes for one and the same.
public enum Matching {
  /// Only what is equal, char by char.
  EXACT,
  /// Letters differ, their case does not.
  IGNORING_CASE,
  /// As people read it: case, forms of one character, and blanks around and between do not count.
  NORMALISED,
  /// Only what is equal, and the store never learns what it was.
  HASHED;

  private static final int PLAIN_MAX = 200;
  private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Z}]+");

  /// What is stored and compared. Every text has one: those that a store might not take, because
  /// they are long or have strange characters, are hashed.
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

  /// Up and down again, for letters that have several forms of the other case.
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
