package io.holdfast.idempotency.guard;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The storage of guards. Guards share a store and are told apart by their names. Each call is one
/// atomic step and may fail with `GuardStoreUnavailable`. Stores get the time from the guard and
/// read no clock. `GuardStoreContract` tests every store.
public interface GuardStore {

  /// Records the identity, unless it is in its window: see `GuardWindow.afterRecord`.
  void record(GuardRules rules, String identity, Instant now);

  /// When the identity was recorded, if that is still stored. The window may be over.
  Optional<Instant> recordedAt(GuardRules rules, String identity);

  /// Removes some of the expired identities, and returns how many.
  int purge(GuardRules rules, Instant now);

  /// The identities in their window, oldest first.
  List<GuardEntry> underGuard(GuardRules rules, Instant now, int skip, int limit);

  /// How many identities are in their window.
  long count(GuardRules rules, Instant now);
}
