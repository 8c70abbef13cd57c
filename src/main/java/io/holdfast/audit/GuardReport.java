package io.holdfast.audit;

import io.holdfast.idempotency.guard.DuplicateGuard;
import io.holdfast.idempotency.guard.GuardEntry;
import io.holdfast.idempotency.guard.GuardRules;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All duplicate guards, the tables of idempotency keys, which keep the same rules, and one page of
/// the entries of one of them.
///
/// @param guard the guard or table whose entries are shown
/// @param recorded its entries
@Serdeable
@Schema(name = "DuplicateGuards")
record GuardReport(List<Guard> guards, String guard, List<Entry> recorded) {

  /// @param keptBy DuplicateGuard, or the table of idempotency keys: their entries are written
  ///   together with the effect of the call, and no DuplicateGuard is involved
  /// @param windowMs how long an entry is kept; for the idempotency keys of pools the default,
  ///   since a pool's policy may have its own
  /// @param commitWindowMs the same for entries of confirms, checkouts and their reversals; null if
  ///   the guard has none of these
  /// @param commits whether a check that finds no entry leads to a commit
  /// @param underGuard the number of entries, counted up to a limit
  /// @param misses entries that may be missing; null if entry and effect are one step
  /// @param blindChecks checks without access to the store; null if entry and effect are one step
  @Serdeable
  @Schema(name = "DuplicateGuard")
  record Guard(
      String guard,
      String keptBy,
      long windowMs,
      @Nullable Long commitWindowMs,
      String matching,
      String expiry,
      String whenAway,
      boolean commits,
      long underGuard,
      @Nullable Long misses,
      @Nullable Long blindChecks) {

    static Guard of(DuplicateGuard guard) {
      return of(guard.rules(), null, "DuplicateGuard", guard.count(), guard);
    }

    static Guard ofTable(GuardRules rules, Duration commitWindow, String table, long underGuard) {
      return of(rules, commitWindow.toMillis(), table, underGuard, null);
    }

    private static Guard of(
        GuardRules rules,
        @Nullable Long commitWindowMs,
        String keptBy,
        long underGuard,
        @Nullable DuplicateGuard guard) {
      return new Guard(
          rules.name(),
          keptBy,
          rules.window().toMillis(),
          commitWindowMs,
          rules.matching().name(),
          rules.expiry().name(),
          rules.whenAway().name(),
          rules.commits(),
          underGuard,
          guard == null ? null : guard.misses(),
          guard == null ? null : guard.blindChecks());
    }
  }

  /// @param identity the value that is compared
  /// @param until the end of the entry; the identity may be used again from then on
  @Serdeable
  @Schema(name = "DuplicateGuardEntry")
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
