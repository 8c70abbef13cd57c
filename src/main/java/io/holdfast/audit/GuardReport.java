package io.holdfast.audit;

import io.holdfast.idempotency.DuplicateGuard;
import io.holdfast.idempotency.GuardEntry;
import io.holdfast.idempotency.GuardRules;
import io.micronaut.serde.annotation.Serdeable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All duplicate guards, and one page of the entries of one of them.
@Serdeable
record GuardReport(List<Guard> guards, String guard, List<Entry> recorded) {

  /// @param windowMs for tokens the default; each pool has its own in its policy
  /// @param commits whether something is committed because of the guard's answer
  /// @param underGuard how many identities are in their window, counted up to a limit
  /// @param misses records that may be missing; null where record and effect are one step
  /// @param blindChecks checks that were answered without the store; null as above
  @Serdeable
  record Guard(
      String guard,
      long windowMs,
      String matching,
      String expiry,
      String whenAway,
      boolean commits,
      long underGuard,
      @Nullable Long misses,
      @Nullable Long blindChecks) {

    static Guard of(GuardRules rules, long underGuard, @Nullable DuplicateGuard guard) {
      return new Guard(
          rules.name(),
          rules.window().toMillis(),
          rules.matching().name(),
          rules.expiry().name(),
          rules.whenAway().name(),
          rules.commits(),
          underGuard,
          guard == null ? null : guard.misses(),
          guard == null ? null : guard.blindChecks());
    }
  }

  /// @param identity in the form that is compared
  /// @param until the end of its window
  @Serdeable
  record Entry(String identity, String recordedAt, String until) {

    static Entry of(GuardEntry found, Duration window) {
      return of(found.identity(), found.recordedAt(), found.recordedAt().plus(window));
    }

    static Entry of(String identity, Instant recordedAt, Instant until) {
      return new Entry(
          identity,
          HistoryQuery.MILLISECONDS.format(recordedAt),
          HistoryQuery.MILLISECONDS.format(until));
    }
  }
}
