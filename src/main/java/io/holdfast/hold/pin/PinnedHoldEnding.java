package io.holdfast.hold.pin;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.EndHoldRequest;
import io.holdfast.commitment.Ledger;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Pinned;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/// Releases and expires holds that are being committed: Postgres decides whether the sale or the
/// end comes first, and Redis gets the result.
@Singleton
public final class PinnedHoldEnding {
  private final Ledger ledger;
  private final RedisSettler settler;
  private final ExecutorService executor;

  PinnedHoldEnding(
      Ledger ledger,
      RedisSettler settler,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.ledger = ledger;
    this.settler = settler;
    this.executor = executor;
  }

  /// Ends the hold in Postgres if Redis answered `Pinned`. Returns every other outcome as it is.
  public CompletionStage<HoldOutcome> endIfPinned(HoldOutcome outcome, IdempotentRequest call) {
    return outcome instanceof Pinned pinned
        ? CompletableFuture.supplyAsync(() -> ledger.end(request(call, pinned)), executor)
            .thenCompose(end -> settle(end, call, pinned.hold()))
            .exceptionally(PinnedHoldEnding::unavailable)
        : CompletableFuture.completedStage(outcome);
  }

  private static EndHoldRequest request(IdempotentRequest call, Pinned pinned) {
    return new EndHoldRequest(
        call.action(),
        call.pool(),
        call.caller(),
        call.token(),
        call.digest(),
        pinned.hold(),
        call.action() == TokenAction.RELEASE ? HoldState.RELEASED : HoldState.EXPIRED,
        pinned.reason(),
        pinned.epoch());
  }

  private CompletionStage<HoldOutcome> settle(
      CommitOutcome end, IdempotentRequest call, HoldRecord hold) {
    return switch (end) {
      case CommitOutcome.Ended(var outcome, var isReplay) ->
          settle(new Decided(outcome, isReplay), call, hold);
      case CommitOutcome.Refused(var outcome, var isReplay) ->
          settle(new Decided(outcome, isReplay), call, hold);
      case CommitOutcome.Collision() -> now(new Collision());
      case CommitOutcome.Drift(var function) -> now(new Drift(function));
      case CommitOutcome.Running() -> now(new Running());
      case CommitOutcome.Unknown(var why) -> now(new Away(false, why));
      case CommitOutcome.NotDecided(var why) -> now(new Away(true, why));
      case CommitOutcome.Superseded(), CommitOutcome.Late() ->
          now(new Away(true, "Other calls keep pinning the hold"));
      case CommitOutcome.Confirmed _ ->
          throw new IllegalStateException("a sale was not requested: " + end);
    };
  }

  private CompletionStage<HoldOutcome> settle(
      Decided decided, IdempotentRequest call, HoldRecord hold) {
    if (decided.isReplay()) {
      return now(decided);
    }
    var pool = call.pool().name();
    var window = call.pool().policy().idempotencyWindow();
    var token = new SettleCommand.TokenResult(call, decided.outcome(), window);
    var command =
        decided.outcome() instanceof StoredOutcome.OfHold ended
            ? SettleCommand.ofEnd(pool, ended.hold(), token)
            : SettleCommand.ofRefusal(pool, hold.fence(), token);
    return settler.settle(command).thenApply(_ -> decided);
  }

  private static CompletionStage<HoldOutcome> now(HoldOutcome outcome) {
    return CompletableFuture.completedStage(outcome);
  }

  private static HoldOutcome unavailable(Throwable failure) {
    if (failure.getCause() instanceof PostgresUnavailable lost) {
      var why = "Postgres, which has to decide while the hold is being committed, is away";
      return new Away(lost.isDefinite(), why);
    }
    throw new CompletionException(failure.getCause());
  }
}
