package io.holdfast.commitment;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import org.jspecify.annotations.Nullable;

/// One request to sell what a hold holds.
///
/// @param fence as the caller knows it
/// @param logicalKey names the intended effect, which is had once; null for that of the hold itself
/// @param nonce leave to do this once, where the pool asks for it
/// @param attemptId names this try and no more than that
/// @param intent what Redis said when the hold was to be pinned
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
    @Nullable String nonce,
    @Nullable String attemptId,
    PinResult intent) {

  /// The key that is consumed by the sale.
  public String key() {
    return logicalKey == null ? "hold:" + hold : logicalKey;
  }
}
