package io.holdfast.hold.seatsearch;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Counted;
import io.holdfast.hold.HoldOutcome.PoolChanged;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.PlaceHoldBody;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.SeatRow;
import io.holdfast.pool.StoredOutcome.Invalid;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/// Finds and holds adjacent seats. The rows of a pool change only when items are added, so they are
/// cached here by their number. Only Redis knows which seats are free: a search sends candidates,
/// and the script takes the first that fit. A refusal is stored, so it is decided on the pool as it
/// is now: if Redis knows a newer version, the pool is read again.
@Singleton
public final class BestSeats {
  private static final int ITEMS_PER_PART = 5_000;
  private static final int POOLS_KEPT = 16;

  /// A pool that changes again during each of them is refused as overload.
  private static final int TRIES_MAX = 3;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final HoldService holds;
  private final Catalogue catalogue;
  private final PoolRegistry pools;
  private final ExecutorService executor;
  private final AsyncCache<Items, SeatPlan> plans;

  public BestSeats(
      HoldService holds,
      Catalogue catalogue,
      PoolRegistry pools,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.catalogue = catalogue;
    this.pools = pools;
    this.executor = executor;
    this.plans = Caffeine.newBuilder().maximumSize(POOLS_KEPT).executor(executor).buildAsync();
  }

  public CompletionStage<HoldOutcome> place(IdempotentRequest call, PlaceHoldBody body) {
    return place(call, body, 1);
  }

  private CompletionStage<HoldOutcome> place(
      IdempotentRequest call, PlaceHoldBody body, int attempt) {
    var plan = plan(call.pool());
    var placed =
        plan.isDone() && !plan.isCompletedExceptionally()
            ? place(call, body, plan.join())
            : plan.thenCompose(known -> place(call, body, known));
    return placed.thenCompose(
        outcome ->
            outcome instanceof PoolChanged(var version)
                ? placeInChanged(call, body, version, attempt)
                : CompletableFuture.completedStage(outcome));
  }

  private CompletionStage<HoldOutcome> placeInChanged(
      IdempotentRequest call, PlaceHoldBody body, long version, int attempt) {
    return attempt == TRIES_MAX
        ? CompletableFuture.completedStage(new Shed(PAUSE))
        : CompletableFuture.supplyAsync(() -> pools.current(call.pool(), version), executor)
            .thenCompose(pool -> place(call.to(pool), body, attempt + 1));
  }

  private CompletionStage<HoldOutcome> place(
      IdempotentRequest call, PlaceHoldBody body, SeatPlan plan) {
    var section = plan.section(body.section());
    if (section == null) {
      return refuse(call, "section", "The pool has no such section.");
    }
    return body.best() <= section.longest()
        ? new AdjacentSeatSearch(holds, call, body, plan, section).next()
        : refuse(
            call,
            "bestAvailable",
            "No row here has so many seats side by side; the longest has %d."
                .formatted(section.longest()));
  }

  private CompletionStage<HoldOutcome> refuse(
      IdempotentRequest call, String field, String sentence) {
    return holds
        .count(call.pool())
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case Counted(var counts) when counts.rules() > call.pool().version() ->
                      CompletableFuture.completedStage(new PoolChanged(counts.rules()));
                  case Counted _ -> holds.refuse(call, new Invalid(field, sentence));
                  case HoldOutcome away -> CompletableFuture.completedStage(away);
                });
  }

  /// The items of a pool, to which more may be added.
  private record Items(PoolName pool, int count) {}

  /// A failed read is repeated by the next call.
  private CompletableFuture<SeatPlan> plan(Pool pool) {
    return plans.get(new Items(pool.name(), pool.itemCount()), _ -> read(pool));
  }

  private SeatPlan read(Pool pool) {
    var items = new ArrayList<CatalogueItem>(pool.itemCount());
    while (items.size() < pool.itemCount()) {
      items.addAll(catalogue.items(pool.name(), items.size(), ITEMS_PER_PART));
    }
    return new SeatPlan(SeatRow.of(items));
  }
}
