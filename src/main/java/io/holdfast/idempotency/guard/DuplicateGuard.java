package io.holdfast.idempotency.guard;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// Remembers identities for a window: an identity is SEEN from its first record until the window is
/// over, and recording it again does not extend the window. The guard only answers; the caller
/// rejects, warns, ignores or replays.
///
/// Only the guard reads the clock. If the clock jumps forward, windows end early; if it jumps back,
/// they end late. Recorded times are not changed.
public final class DuplicateGuard {
  private final GuardRules rules;
  private final GuardStore store;
  private final Clock clock;
  private final LongAdder misses = new LongAdder();
  private final LongAdder blindChecks = new LongAdder();

  public DuplicateGuard(GuardRules rules, GuardStore store, Clock clock) {
    this.rules = rules;
    this.store = store;
    this.clock = clock;
  }

  public GuardRules rules() {
    return rules;
  }

  /// Never fails, because the caller has acted already. If the store is unavailable, the identity
  /// may be missing for a window, which is counted.
  public void record(String identity) {
    var now = now();
    try {
      store.record(rules, rules.matching().key(identity), now);
    } catch (GuardStoreUnavailable e) {
      misses.increment();
      return;
    }
    if (rules.expiry() == Expiry.EAGER) {
      purge(now);
    }
  }

  public GuardResult check(String identity) {
    var now = now();
    try {
      var recordedAt = store.recordedAt(rules, rules.matching().key(identity)).orElse(null);
      return GuardWindow.check(recordedAt, now, rules.window());
    } catch (GuardStoreUnavailable e) {
      blindChecks.increment();
      return rules.whenAway().result();
    }
  }

  /// Removes some of the expired identities; for periodic tasks.
  public int purge() {
    return purge(now());
  }

  /// The identities in their window, oldest first. Fails with `GuardStoreUnavailable`.
  public List<GuardEntry> underGuard(int skip, int limit) {
    return store.underGuard(rules, now(), skip, limit);
  }

  /// How many identities are in their window. Fails with `GuardStoreUnavailable`.
  public long count() {
    return store.count(rules, now());
  }

  /// How many records the store may have missed.
  public long misses() {
    return misses.sum();
  }

  /// How many checks were answered without the store.
  public long blindChecks() {
    return blindChecks.sum();
  }

  /// If it fails, expired identities remain until the next time, without effect on checks.
  private int purge(Instant now) {
    try {
      return store.purge(rules, now);
    } catch (GuardStoreUnavailable e) {
      return 0;
    }
  }

  /// In milliseconds, the finest unit that all stores can keep.
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
