package io.holdfast.idempotency;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The hash of a request: two calls under one token are the same call if their digests are equal.
/// It leaves out the token, all headers, members that are null, and the `attemptId`, which differs
/// from one attempt of a call to the next.
///
/// @param value the id of an `EntryVersion`, a colon, and 43 characters of base64url
public record Digest(String value) {
  /// The id of hash and encoding. A new function is added beside this one, and `as` computes the
  /// digest that an entry of the old one has.
  public static final String FUNCTION = "1";

  private static final String ATTEMPT_ID = "attemptId";
  private static final int ATTEMPT_BYTES_MAX = 128; // the limit of every text in a body
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  /// Is cloned for each use: a clone costs a tenth of a look-up by name.
  private static final MessageDigest SHA_256 = lookUpSha256();

  /// @param action the action or route, from a closed list
  /// @param path the parameters in the path, in their order
  /// @param body maps, lists, texts, numbers (Integer, Long, BigInteger, BigDecimal), booleans and
  ///   null
  public static Digest of(String action, List<String> path, Map<String, ?> body) {
    var form = new CanonicalForm();
    form.text(action);
    form.list(path);
    form.object(body, hasValidAttemptId(body) ? ATTEMPT_ID : null);
    return new Digest(FUNCTION + ":" + BASE64.encodeToString(form.hash(sha256())));
  }

  /// The digest of the same request in an entry of that version.
  public Digest as(EntryVersion version) {
    return new Digest(version.id() + value.substring(value.indexOf(':')));
  }

  /// Empty if this release does not know the version.
  public Optional<Digest> as(String version) {
    return EntryVersion.of(version).map(this::as);
  }

  /// The version of the entry that has this digest.
  public String version() {
    return version(value);
  }

  /// @param stored a stored digest
  public static String version(String stored) {
    return stored.substring(0, stored.indexOf(':'));
  }

  /// An invalid one stays in the digest. Otherwise its refusal would be replayed to the call
  /// without it.
  private static boolean hasValidAttemptId(Map<String, ?> body) {
    return body.get(ATTEMPT_ID) instanceof String text
        && !text.isEmpty()
        && text.getBytes(StandardCharsets.UTF_8).length <= ATTEMPT_BYTES_MAX
        && text.chars().noneMatch(Character::isISOControl);
  }

  /// The hash of any text, also of malformed UTF-16: 43 characters of base64url.
  public static String hash(String text) {
    var form = new CanonicalForm();
    form.text(text);
    return BASE64.encodeToString(form.hash(sha256()));
  }

  /// The SHA-256 of a text with one char for each byte.
  public static byte[] sha256(String bytes) {
    return sha256().digest(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public String toString() {
    return value;
  }

  private static MessageDigest sha256() {
    try {
      return (MessageDigest) SHA_256.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MessageDigest lookUpSha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
