package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.idempotency.Digest;
import io.holdfast.pool.HoldId;
import java.nio.charset.StandardCharsets;

/// Names one intended effect by all values that it is bound to. The attempt, the nonce and the
/// token are not part of it: a new one of these does not make a new effect.
///
/// @param target the hold; `run`, the pool, which is one run of a sale
/// @param artifact the hash of the deployed program
/// @param owner caller and requester
public record ReplayKey(
    String protocol,
    String logicalKey,
    String operation,
    String target,
    String artifact,
    String owner,
    String run) {
  public static final String PROTOCOL = "1";
  public static final String OPERATION = "confirm";

  public static ReplayKey of(ConfirmRequest request, String artifact) {
    return new ReplayKey(
        PROTOCOL,
        request.key(),
        OPERATION,
        request.hold().toString(),
        artifact,
        owner(request.caller(), request.requester()),
        run(request.hold()));
  }

  /// Neither has control characters in it.
  public static String owner(String caller, String requester) {
    return caller + "\t" + requester;
  }

  private static String run(HoldId hold) {
    return hold.pool().value();
  }

  /// A SHA-256 over all parts, each with its length before it, so that no two lists of parts give
  /// the same bytes.
  byte[] hash() {
    var form = new StringBuilder();
    for (var part : new String[] {protocol, logicalKey, operation, target, artifact, owner, run}) {
      var bytes = part.getBytes(StandardCharsets.UTF_8);
      form.append(bytes.length).append(':').append(new String(bytes, StandardCharsets.ISO_8859_1));
    }
    return Digest.sha256(form.toString());
  }

  /// The hash as a string of one char a byte.
  public String hashText() {
    return new String(hash(), StandardCharsets.ISO_8859_1);
  }
}
