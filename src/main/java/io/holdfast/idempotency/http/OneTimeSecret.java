package io.holdfast.idempotency.http;

import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A secret that is shown to its creator and stored nowhere. It is an HMAC of a random salt and the
/// caller's token. The stored answer has the salt in its place, so a replay with the token shows
/// the same secret, and the table does not contain it.
///
/// @param field of the answer that has the secret
/// @param prefix of the secret, by which people recognise its kind
public record OneTimeSecret(String field, String prefix) {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int SALT_BYTES = 32;
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  public static String salt(SecureRandom random) {
    var bytes = new byte[SALT_BYTES];
    random.nextBytes(bytes);
    return BASE64.encodeToString(bytes);
  }

  public String secret(String salt, Token token) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(salt.getBytes(StandardCharsets.US_ASCII), ALGORITHM));
      var bytes = mac.doFinal(token.value().getBytes(StandardCharsets.ISO_8859_1));
      return prefix + BASE64.encodeToString(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The stored answer with the secret in the place of the salt. A refusal is not changed.
  public Answer revealed(Answer stored, Token token) {
    var before = "\"" + field + "\":\"";
    var body = new String(stored.body(), StandardCharsets.UTF_8);
    var start = body.indexOf(before) + before.length();
    if (stored.status() >= 400 || start < before.length()) {
      return stored;
    }
    var end = body.indexOf('"', start);
    var shown =
        body.substring(0, start) + secret(body.substring(start, end), token) + body.substring(end);
    return new Answer(stored.status(), shown.getBytes(StandardCharsets.UTF_8));
  }
}
