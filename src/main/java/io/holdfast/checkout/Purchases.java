package io.holdfast.checkout;

import io.holdfast.commitment.Confirm;
import io.holdfast.commitment.Intent;
import io.holdfast.hold.Intents;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;

/// What a run asks of the ledger: to sell what its hold holds, for an order of its own name.
@Singleton
final class Purchases {
  private final Intents intents;

  Purchases(Intents intents) {
    this.intents = intents;
  }

  static HoldId hold(Run run) {
    return HoldId.parse(run.order().holdId()).orElseThrow();
  }

  /// The hold whose items were sold, or are to be: in the place of one that ran out, the other one.
  static HoldId soldHold(Run run) {
    return run.replacement() == null ? hold(run) : HoldId.parse(run.replacement()).orElseThrow();
  }

  Pool pool(Run run) {
    return intents.pool(run.id().pool()).orElseThrow();
  }

  Confirm of(Run run, String callId, HoldId hold, Intent.Pinned pinned) {
    return new Confirm(
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
