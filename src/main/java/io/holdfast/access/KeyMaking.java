package io.holdfast.access;

import io.holdfast.idempotency.Token;
import io.holdfast.postgres.RequestOutcome.Answer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Makes a key of a random salt and the caller's token. The answer that is stored holds the salt in
/// the place of the key: whoever sends the token again is shown the same key, and whoever reads the
/// table finds neither.
final class KeyMaking {
  private static final String ALGORITHM = "HmacSHA256";
  private static final String BEFORE_KEY = "\"key\":\"";

  private KeyMaking() {}

  static String key(String salt, Token token) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(salt.getBytes(StandardCharsets.US_ASCII), ALGORITHM));
      var bytes = mac.doFinal(token.value().getBytes(StandardCharsets.ISO_8859_1));
      return "hf_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The stored answer with the key in the place of its salt; a refusal has none.
  static Answer revealed(Answer stored, Token token) {
    var body = new String(stored.body(), StandardCharsets.UTF_8);
    var start = body.indexOf(BEFORE_KEY) + BEFORE_KEY.length();
    if (stored.status() >= 400 || start < BEFORE_KEY.length()) {
      return stored;
    }
    var end = body.indexOf('"', start);
    var shown =
        body.substring(0, start) + key(body.substring(start, end), token) + body.substring(end);
    return new Answer(stored.status(), shown.getBytes(StandardCharsets.UTF_8));
  }
}
