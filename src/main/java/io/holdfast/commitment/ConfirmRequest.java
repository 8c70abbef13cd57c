package io.holdfast.commitment;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import io.holdfast.subject.CallerText;
import org.jspecify.annotations.Nullable;

/// A request to sell the items of a hold.
///
/// @param fence that the caller has sent
/// @param logicalKey names the intended effect, which happens once; null for the key of the hold
/// @param quantity how many units of a hold of a quantity to sell; null for all of them
/// @param nonceHash of the nonce that authorises this sale once, one char a byte; a pool may
///   require one
/// @param attemptId identifies this attempt only
/// @param intent the result of pinning the hold in Redis
public record ConfirmRequest(
    Pool pool,
    String caller,
    Token token,
    Digest digest,
    HoldId hold,
    String requester,
    long fence,
    String orderId,
    @Nullable String logicalKey,
    @Nullable Integer quantity,
    @Nullable String nonceHash,
    @Nullable String attemptId,
    PinResult intent) {

  /// The logical key that the sale consumes.
  public String key() {
    return logicalKey == null ? "hold:" + hold : logicalKey;
  }

  /// The form in which the attempt is recorded.
  public @Nullable String unnamedAttemptId() {
    return CallerText.withoutName(attemptId, requester);
  }
}
