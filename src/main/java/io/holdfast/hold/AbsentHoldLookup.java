package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.Predicate;

/// Answers calls on holds that Redis does not have, from the hold's row in Postgres. Only such
/// calls wait for Postgres.
@Singleton
final class AbsentHoldLookup {
  private final HoldService holds;
  private final HoldRows rows;
  private final ExecutorService executor;

  AbsentHoldLookup(
      HoldService holds, HoldRows rows, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.rows = rows;
    this.executor = executor;
  }

  /// Turns `Absent` into a refusal that is stored under the token. Returns every other outcome as
  /// it is.
  ///
  /// @param isVisible whether the caller may see the hold
  CompletionStage<HoldOutcome> refuseAbsent(
      HoldOutcome outcome, IdempotentRequest call, HoldId id, Predicate<HoldRecord> isVisible) {
    return outcome instanceof Absent
        ? find(id)
            .thenCompose(row -> holds.refuse(call, refusal(row.filter(isVisible))))
            .exceptionally(AbsentHoldLookup::unavailable)
        : CompletableFuture.completedStage(outcome);
  }

  private static Reason refusal(Optional<HoldRecord> row) {
    return row.isPresent() ? Reason.NOT_HELD : Reason.NOT_KNOWN;
  }

  /// The same for a heartbeat, which has no token.
  CompletionStage<HoldOutcome> refuseHeartbeat(HoldOutcome outcome, HoldId id, String caller) {
    return outcome instanceof Absent
        ? find(id)
            .<HoldOutcome>thenApply(row -> new Decided(heartbeatRefusal(row, caller)))
            .exceptionally(AbsentHoldLookup::unavailable)
        : CompletableFuture.completedStage(outcome);
  }

  private static Reason heartbeatRefusal(Optional<HoldRecord> row, String caller) {
    if (row.isEmpty() || !row.get().caller().equals(caller)) {
      return Reason.NOT_KNOWN;
    }
    var end = row.get().endReason();
    return end == EndReason.WINDOW || end == EndReason.LEASE ? Reason.ELAPSED : Reason.NOT_HELD;
  }

  private CompletableFuture<Optional<HoldRecord>> find(HoldId id) {
    return CompletableFuture.supplyAsync(() -> rows.find(id), executor);
  }

  private static HoldOutcome unavailable(Throwable failure) {
    if (failure.getCause() instanceof PostgresUnavailable) {
      return new Away(true, "Postgres, which stores ended holds, is away");
    }
    throw new CompletionException(failure.getCause());
  }
}
