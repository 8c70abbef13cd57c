package io.holdfast.hold;

import io.holdfast.hold.pin.PinnedHoldEnding;
import io.holdfast.pool.HoldId;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletionStage;

/// Releases a hold, wherever it is: in Redis, pinned, or already ended and only in Postgres.
@Singleton
public final class HoldRelease {
  private final HoldService holds;
  private final PinnedHoldEnding pinned;
  private final AbsentHoldLookup absent;

  HoldRelease(HoldService holds, PinnedHoldEnding pinned, AbsentHoldLookup absent) {
    this.holds = holds;
    this.pinned = pinned;
    this.absent = absent;
  }

  public CompletionStage<HoldOutcome> release(IdempotentRequest call, HoldId id, String requester) {
    return holds
        .release(call, id, requester)
        .thenCompose(outcome -> pinned.endIfPinned(outcome, call))
        .thenCompose(
            outcome ->
                absent.refuseAbsent(
                    outcome, call, id, hold -> hold.caller().equals(call.caller())));
  }
}
