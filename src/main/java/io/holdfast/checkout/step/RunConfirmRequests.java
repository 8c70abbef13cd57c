package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;

/// What a run asks of the ledger: to sell what its hold holds, for an order of its own name.
@Singleton
public final class RunConfirmRequests {
  private final CheckoutHoldClient intents;

  RunConfirmRequests(CheckoutHoldClient intents) {
    this.intents = intents;
  }

  static HoldId hold(CheckoutRun run) {
    return HoldId.parse(run.order().holdId()).orElseThrow();
  }

  /// The hold whose items were sold, or are to be: in the place of one that ran out, the other one.
  public static HoldId soldHold(CheckoutRun run) {
    return run.replacement() == null ? hold(run) : HoldId.parse(run.replacement()).orElseThrow();
  }

  Pool pool(CheckoutRun run) {
    return intents.pool(run.id().pool()).orElseThrow();
  }

  ConfirmRequest of(CheckoutRun run, String callId, HoldId hold, PinResult.Pinned pinned) {
    return new ConfirmRequest(
        pool(run),
        run.order().caller(),
        (Token) Token.of(callId, callId.length()),
        Digest.of(callId, List.of(), Map.of()),
        hold,
        run.order().requester(),
        hold.fence().value(),
        run.id().toString(),
        null,
        null,
        null,
        pinned);
  }
}
