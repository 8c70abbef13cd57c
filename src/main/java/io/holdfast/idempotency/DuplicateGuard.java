package io.holdfast.idempotency;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// A short memory of what was seen: an identity is SEEN from the moment it is recorded until the
/// window is over, and recording it again meanwhile changes nothing. It never acts on what it says;
/// whoever asks rejects, warns, absorbs or repeats an earlier answer.
///
/// This is the one place where time comes in, from a clock that nobody who calls can choose. If the
/// clock jumps forward, windows end early; if it jumps back, they end late. What was recorded keeps
/// the moment that it was given.
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

  /// Always well: whoever records has acted already, and could take nothing back. If the store is
  /// away the identity may be missing for a window, which is counted.
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
      return GuardWindow.sighting(recordedAt, now, rules.window());
    } catch (GuardStoreUnavailable e) {
      blindChecks.increment();
      return rules.whenAway().sighting();
    }
  }

  /// Removes some of what is no longer under guard; for schedules.
  public int purge() {
    return purge(now());
  }

  /// What is under guard, oldest first; for those who look for faults. Fails with
  /// `GuardStoreUnavailable`.
  public List<GuardEntry> underGuard(int skip, int limit) {
    return store.underGuard(rules, now(), skip, limit);
  }

  /// How many are under guard; likewise.
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

  /// What stays is not under guard either, and goes another time.
  private int purge(Instant now) {
    try {
      return store.purge(rules, now);
    } catch (GuardStoreUnavailable e) {
      return 0;
    }
  }

  /// In milliseconds, which is what all stores can keep.
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
