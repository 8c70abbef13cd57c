package io.holdfast.payment.notice;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookSigningException;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.micronaut.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/// The secret that a provider shares with us to sign notices. Signatures are those of Standard
/// Webhooks and expire after five minutes.
public final class NoticeSecret {
  static final String ID = "webhook-id";
  static final String TIMESTAMP = "webhook-timestamp";
  static final String SIGNATURE = "webhook-signature";

  private static final int BYTES_MIN = 24;
  private static final int BYTES_MAX = 64;
  private static final String PREFIX = "whsec_";

  private final Webhook webhook;

  private NoticeSecret(byte[] key) {
    if (key.length < BYTES_MIN || key.length > BYTES_MAX) {
      throw new IllegalArgumentException("a secret has 24 to 64 bytes");
    }
    try {
      webhook = new Webhook(key);
    } catch (EmptyWebhookSecretException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /// @param text Base64, behind `whsec_`
  public static NoticeSecret of(String text) {
    if (!text.startsWith(PREFIX)) {
      throw new IllegalArgumentException("a secret begins with whsec_");
    }
    return new NoticeSecret(Base64.getDecoder().decode(text.substring(PREFIX.length())));
  }

  static NoticeSecret random(SecureRandom random) {
    var key = new byte[BYTES_MIN];
    random.nextBytes(key);
    return new NoticeSecret(key);
  }

  /// Whether the body has a valid signature that has not expired. A header that is sent twice is
  /// ambiguous, so it counts as missing.
  boolean hasSigned(byte[] body, HttpHeaders headers) {
    var names = List.of(ID, TIMESTAMP, SIGNATURE);
    if (names.stream().anyMatch(name -> headers.getAll(name).size() != 1)) {
      return false;
    }
    try {
      webhook.verify(
          new String(body, StandardCharsets.UTF_8),
          Map.of(
              ID, headers.getAll(ID),
              TIMESTAMP, headers.getAll(TIMESTAMP),
              SIGNATURE, headers.getAll(SIGNATURE)));
      return true;
    } catch (WebhookVerificationException e) {
      return false;
    }
  }

  /// The headers of a notice, each name followed by its value.
  public List<String> headers(String id, Instant at, String body) {
    try {
      var seconds = at.getEpochSecond();
      var signature = webhook.sign(id, seconds, body);
      return List.of(ID, id, TIMESTAMP, Long.toString(seconds), SIGNATURE, signature);
    } catch (WebhookSigningException e) {
      throw new IllegalStateException(e);
    }
  }
}
