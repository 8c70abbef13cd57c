package io.holdfast.idempotency;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Where guards keep what they have seen. Many guards share a store, told apart by their names.
/// Each call is one atomic step; the time is handed in, and no store reads a clock to decide.
/// `GuardStoreContract` is what every store has to do. Each call may fail with
/// `GuardStoreUnavailable`.
public interface GuardStore {

  /// Recorded now, unless it is under guard already: see `GuardWindow.afterRecord`.
  void record(GuardRules rules, String identity, Instant now);

  /// When it was recorded, if that is still known; the window may be over.
  Optional<Instant> recordedAt(GuardRules rules, String identity);

  /// Removes some of what is no longer under guard, and returns how many.
  int purge(GuardRules rules, Instant now);

  /// What is under guard, oldest first.
  List<GuardEntry> underGuard(GuardRules rules, Instant now, int skip, int limit);

  /// How many are under guard.
  long count(GuardRules rules, Instant now);
}
