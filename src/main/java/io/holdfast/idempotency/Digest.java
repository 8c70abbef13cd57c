package io.holdfast.idempotency;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/// What was asked, boiled down: two calls under one token are the same call if their digests are
/// equal. Neither the token nor any header goes into it, nor the `attemptId`, which tells one try
/// of a call from the next, nor members that are null, which count as absent.
///
/// @param value the function's id, a colon, and 43 characters of base64url
public record Digest(String value) {
  /// Names hash and form together; stored with every digest, so that a change is noticed.
  public static final String FUNCTION = "1";

  private static final String OF_THE_ATTEMPT = "attemptId";
  private static final int ATTEMPT_BYTES_MAX = 128; // as of every text in a body
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  /// To be cloned: a clone costs a tenth of a look-up by name, and needs no thread to hang on.
  private static final MessageDigest SHA_256 = sha256();

  /// @param action the action or route, from a closed list
  /// @param path the parameters in the path, in their order
  /// @param body maps, lists, texts, numbers (Integer, Long, BigInteger, BigDecimal), booleans and
  ///   null
  public static Digest of(String action, List<String> path, Map<String, ?> body) {
    var form = new CanonicalForm();
    form.text(action);
    form.list(path);
    form.object(body, tellsTheAttempt(body) ? OF_THE_ATTEMPT : null);
    return new Digest(FUNCTION + ":" + BASE64.encodeToString(form.hashedBy(copy())));
  }

  /// One that is refused stays in: otherwise its refusal would be the answer to the call without
  /// it.
  private static boolean tellsTheAttempt(Map<String, ?> body) {
    return body.get(OF_THE_ATTEMPT) instanceof String text
        && !text.isEmpty()
        && text.getBytes(StandardCharsets.UTF_8).length <= ATTEMPT_BYTES_MAX
        && text.chars().noneMatch(Character::isISOControl);
  }

  /// Of any text at all, also of one that no encoder would take: 43 characters of base64url.
  public static String hash(String text) {
    var form = new CanonicalForm();
    form.text(text);
    return BASE64.encodeToString(form.hashedBy(copy()));
  }

  /// The SHA-256 of a text with one char for each byte.
  public static byte[] sha256(String bytes) {
    return copy().digest(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public String toString() {
    return value;
  }

  private static MessageDigest copy() {
    try {
      return (MessageDigest) SHA_256.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
