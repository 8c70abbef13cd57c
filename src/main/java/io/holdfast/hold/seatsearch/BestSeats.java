package io.holdfast.hold.seatsearch;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.PlaceHoldBody;
import io.holdfast.hold.TokenOutcome;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.SeatRow;
import io.holdfast.pool.TokenAction;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/// Finds seats side by side. The rows of a pool never change, so they are kept here. Which seats
/// are free only Redis knows: a search shows it seats that should do, and the script takes the
/// first good ones.
@Singleton
public final class BestSeats {
  private static final int ITEMS_A_PART = 5_000;
  private static final int POOLS_KEPT = 16;

  private final HoldService desk;
  private final Catalogue catalogue;
  private final AsyncCache<PoolName, SeatPlan> plans;

  public BestSeats(
      HoldService desk,
      Catalogue catalogue,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.desk = desk;
    this.catalogue = catalogue;
    this.plans = Caffeine.newBuilder().maximumSize(POOLS_KEPT).executor(executor).buildAsync();
  }

  public CompletionStage<TokenOutcome> place(IdempotentRequest call, PlaceHoldBody wish) {
    var plan = plan(call.pool());
    return plan.isDone() && !plan.isCompletedExceptionally()
        ? place(call, wish, plan.join())
        : plan.thenCompose(known -> place(call, wish, known));
  }

  private CompletionStage<TokenOutcome> place(
      IdempotentRequest call, PlaceHoldBody wish, SeatPlan plan) {
    var section = plan.section(wish.section());
    if (section == null) {
      return refuse(call, "section", "The pool has no such section.");
    }
    return wish.best() <= section.longest()
        ? new AdjacentSeatSearch(desk, call, wish, plan, section).next()
        : refuse(
            call,
            "bestAvailable",
            "No row here has so many seats side by side; the longest has %d."
                .formatted(section.longest()));
  }

  private CompletionStage<TokenOutcome> refuse(
      IdempotentRequest call, String field, String sentence) {
    return desk.refuse(call, TokenAction.PLACE_HOLD, new Invalid(field, sentence));
  }

  /// The cache drops a plan that could not be read, so the next call reads it again.
  private CompletableFuture<SeatPlan> plan(Pool pool) {
    return plans.get(pool.name(), _ -> read(pool));
  }

  private SeatPlan read(Pool pool) {
    var items = new ArrayList<CatalogueItem>(pool.itemCount());
    while (items.size() < pool.itemCount()) {
      items.addAll(catalogue.items(pool.name(), items.size(), ITEMS_A_PART));
    }
    return new SeatPlan(SeatRow.of(items));
  }
}
