package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.pool.Action;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.SeatRow;
import io.holdfast.postgres.Catalogue;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Finds seats side by side. The rows of a pool never change, so they are kept here; how their
/// seats stand only Redis knows, which is shown as much of them as should do and takes the first
/// that are good.
@Singleton
final class BestSeats {
  private static final int ITEMS_A_PART = 5_000;
  private static final int POOLS_KEPT = 16;

  private final HoldDesk desk;
  private final Catalogue catalogue;
  private final ExecutorService executor;
  private final Map<PoolName, CompletableFuture<Venue>> venues =
      Collections.synchronizedMap(new Latest());

  BestSeats(
      HoldDesk desk, Catalogue catalogue, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.desk = desk;
    this.catalogue = catalogue;
    this.executor = executor;
  }

  CompletionStage<Decision> place(TokenCall call, Wish wish) {
    var venue = venue(call.pool());
    return venue.isDone() && !venue.isCompletedExceptionally()
        ? place(call, wish, venue.join())
        : venue.thenCompose(known -> place(call, wish, known));
  }

  private CompletionStage<Decision> place(TokenCall call, Wish wish, Venue venue) {
    var stand = venue.stand(wish.section());
    var fault = fault(wish, stand);
    return fault != null
        ? desk.refuse(call, Action.PLACE_HOLD, fault)
        : new Search(desk, call, wish, stand).next();
  }

  private static @Nullable Invalid fault(Wish wish, @Nullable Stand stand) {
    if (stand == null) {
      return new Invalid("section", "The pool has no such section.");
    }
    return wish.best() <= stand.longest()
        ? null
        : new Invalid(
            "bestAvailable",
            "No row here has so many seats side by side; the longest has %d."
                .formatted(stand.longest()));
  }

  /// What could not be read is read again when it is next asked for.
  private CompletableFuture<Venue> venue(Pool pool) {
    var known = venues.get(pool.name());
    if (known != null && !known.isCompletedExceptionally()) {
      return known;
    }
    var made = CompletableFuture.supplyAsync(() -> read(pool), executor);
    venues.put(pool.name(), made);
    return made;
  }

  private Venue read(Pool pool) {
    var items = new ArrayList<CatalogueItem>(pool.itemCount());
    while (items.size() < pool.itemCount()) {
      items.addAll(catalogue.items(pool.name(), items.size(), ITEMS_A_PART));
    }
    return Venue.of(SeatRow.of(items));
  }

  /// A pool's sections, and all of it.
  private record Venue(Stand all, Map<String, Stand> sections) {

    static Venue of(List<SeatRow> rows) {
      var bySection = new LinkedHashMap<String, List<SeatRow>>();
      for (var row : rows) {
        if (row.section() != null) {
          bySection.computeIfAbsent(row.section(), _ -> new ArrayList<>()).add(row);
        }
      }
      var stands = new LinkedHashMap<String, Stand>();
      bySection.forEach((name, some) -> stands.put(name, Stand.of(some)));
      return new Venue(Stand.of(rows), stands);
    }

    @Nullable Stand stand(@Nullable String section) {
      return section == null ? all : sections.get(section);
    }
  }

  private static final class Latest extends LinkedHashMap<PoolName, CompletableFuture<Venue>> {
    private static final long serialVersionUID = 1L;

    Latest() {
      super(POOLS_KEPT, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<PoolName, CompletableFuture<Venue>> eldest) {
      return size() > POOLS_KEPT;
    }
  }
}
