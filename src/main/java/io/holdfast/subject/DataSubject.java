package io.holdfast.subject;

import io.holdfast.idempotency.Digest;
import java.nio.charset.StandardCharsets;

/// The person that personal data are about: a requester of one caller. Two callers may use the same
/// id for two people, so neither can shred the other's data.
public record DataSubject(String caller, String requester) {

  /// Identifies the row of the person's key. Neither part contains control characters.
  public byte[] hash() {
    var bytes = (caller + "\t" + requester).getBytes(StandardCharsets.UTF_8);
    return Digest.sha256(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  /// The hash as a string of one char a byte.
  public String hashText() {
    return new String(hash(), StandardCharsets.ISO_8859_1);
  }
}
