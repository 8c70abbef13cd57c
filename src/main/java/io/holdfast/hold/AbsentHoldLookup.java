package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Elapsed;
import io.holdfast.hold.HoldOutcome.NotHeld;
import io.holdfast.hold.HoldOutcome.NotKnown;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Predicate;

/// What is left to say of a hold that Redis does not have: Postgres knows its end, or nobody knows
/// it. Only such calls ever wait for Postgres.
@Singleton
final class AbsentHoldLookup {
  private final HoldService desk;
  private final HoldRows rows;
  private final ExecutorService executor;

  AbsentHoldLookup(
      HoldService desk, HoldRows rows, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.desk = desk;
    this.rows = rows;
    this.executor = executor;
  }

  /// Turns `Absent` into a refusal that is kept under the token; leaves every other decision alone.
  ///
  /// @param isTheirs whether the hold may be shown to who asks
  CompletionStage<TokenOutcome> refuseAbsent(
      TokenOutcome decision,
      IdempotentRequest call,
      TokenAction action,
      HoldId id,
      Predicate<HoldRecord> isTheirs) {
    return unlessAbsent(
        decision,
        id,
        row -> {
          var word = row.filter(isTheirs).isPresent() ? "NOT_HELD" : "NOT_KNOWN";
          return desk.refuse(call, action, word);
        });
  }

  /// The same for a heartbeat, which spends no token.
  CompletionStage<TokenOutcome> refuseHeartbeat(TokenOutcome decision, HoldId id, String caller) {
    return unlessAbsent(
        decision,
        id,
        row ->
            CompletableFuture.completedStage(
                TokenOutcome.fresh(
                    row.filter(hold -> hold.caller().equals(caller))
                        .map(AbsentHoldLookup::refusal)
                        .orElseGet(NotKnown::new))));
  }

  private static HoldOutcome refusal(HoldRecord hold) {
    var reason = hold.endReason();
    return reason == EndReason.WINDOW || reason == EndReason.LEASE ? new Elapsed() : new NotHeld();
  }

  private CompletionStage<TokenOutcome> unlessAbsent(
      TokenOutcome decision,
      HoldId id,
      Function<Optional<HoldRecord>, CompletionStage<TokenOutcome>> refusing) {
    if (!(decision.outcome() instanceof Absent)) {
      return CompletableFuture.completedStage(decision);
    }
    return CompletableFuture.supplyAsync(() -> rows.find(id), executor)
        .thenCompose(refusing)
        .exceptionally(
            e -> {
              if (e.getCause() instanceof PostgresUnavailable) {
                return TokenOutcome.fresh(
                    new Away(true, "Postgres, which knows old holds, is away"));
              }
              throw new java.util.concurrent.CompletionException(e.getCause());
            });
  }
}
