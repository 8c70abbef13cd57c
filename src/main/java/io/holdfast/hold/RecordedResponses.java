package io.holdfast.hold;

import io.holdfast.idempotency.EntryVersion;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.StoredOutcome;
import io.micronaut.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/// Makes the response of a recorded call again, for the pools of a kind that has routes with
/// responses of their own. `HoldResponses` makes those of the other kinds.
public interface RecordedResponses {
  PoolKind kind();

  /// @param hold that the call was about, as far as that is on record
  HttpResponse<?> of(
      Pool pool, String caller, EntryVersion version, StoredOutcome outcome, @Nullable HoldId hold);
}
