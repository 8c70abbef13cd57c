package io.holdfast.hold.seatsearch;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.hold.HoldOutcome;
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
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/// Finds and holds adjacent seats. The rows of a pool never change, so they are cached here. Only
/// Redis knows which seats are free: a search sends candidates, and the script takes the first that
/// fit.
@Singleton
public final class BestSeats {
  private static final int ITEMS_PER_PART = 5_000;
  private static final int POOLS_KEPT = 16;

  private final HoldService holds;
  private final Catalogue catalogue;
  private final AsyncCache<PoolName, SeatPlan> plans;

  public BestSeats(
      HoldService holds,
      Catalogue catalogue,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.catalogue = catalogue;
    this.plans = Caffeine.newBuilder().maximumSize(POOLS_KEPT).executor(executor).buildAsync();
  }

  public CompletionStage<HoldOutcome> place(IdempotentRequest call, PlaceHoldBody body) {
    var plan = plan(call.pool());
    return plan.isDone() && !plan.isCompletedExceptionally()
        ? place(call, body, plan.join())
        : plan.thenCompose(known -> place(call, body, known));
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
    return holds.refuse(call, new Invalid(field, sentence));
  }

  /// A failed read is repeated by the next call.
  private CompletableFuture<SeatPlan> plan(Pool pool) {
    return plans.get(pool.name(), _ -> read(pool));
  }

  private SeatPlan read(Pool pool) {
    var items = new ArrayList<CatalogueItem>(pool.itemCount());
    while (items.size() < pool.itemCount()) {
      items.addAll(catalogue.items(pool.name(), items.size(), ITEMS_PER_PART));
    }
    return new SeatPlan(SeatRow.of(items));
  }
}
