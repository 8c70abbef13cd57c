package io.holdfast.events.privacy;

import io.holdfast.idempotency.Digest;
import java.nio.charset.StandardCharsets;

/// Whom personal data are about: a requester as one caller knows it. Two callers may use the same
/// id for two people, so neither can shred the other's.
public record DataSubject(String caller, String requester) {

  /// Under what the person's key is found. Neither part has control characters in it.
  byte[] hash() {
    var bytes = (caller + "\t" + requester).getBytes(StandardCharsets.UTF_8);
    return Digest.sha256(new String(bytes, StandardCharsets.ISO_8859_1));
  }
}
