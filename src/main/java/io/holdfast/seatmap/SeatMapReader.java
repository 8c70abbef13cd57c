package io.holdfast.seatmap;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolName;
import io.holdfast.seeding.PoolScripts;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the state of all items of a pool: held items from Redis, in parts that do not block other
/// calls, and sold items from Postgres. A snapshot is cached until something changes. For threads
/// that may block.
@Singleton
final class SeatMapReader {
  private static final int HOLDS_PER_PART = 500;

  /// Holds are read in the order of their lease ends, which heartbeats change. Parts overlap, so
  /// that a hold is found that has moved down by up to this many places between two parts.
  private static final int OVERLAP = 50;

  private static final int ITEMS_PER_PART = 5_000;
  private static final int TRIES_MAX = 3;
  private static final int POOLS_KEPT = 16;

  private final PoolScripts scripts;
  private final Catalogue catalogue;
  private final AuctionSummaries auctions;
  private final Cache<Items, CachedSnapshot> snapshots =
      Caffeine.newBuilder().maximumSize(POOLS_KEPT).build();

  SeatMapReader(PoolScripts scripts, Catalogue catalogue, AuctionSummaries auctions) {
    this.scripts = scripts;
    this.catalogue = catalogue;
    this.auctions = auctions;
  }

  /// Empty if the pool is not open in Redis.
  ///
  /// @param counts the counts of the pool, just read
  Optional<SeatMapSnapshot> snapshot(Pool pool, PoolCounts counts) {
    if (pool.kind().makesItems()) {
      return Optional.of(SeatMapSnapshot.ofCounts(pool, counts));
    }
    var items = new Items(pool.name(), pool.itemCount());
    var cached = snapshots.get(items, _ -> new CachedSnapshot(pool));
    return Optional.ofNullable(cached.at(counts));
  }

  /// The items of a pool, to which more may be added.
  private record Items(PoolName pool, int count) {}

  /// The items of one pool, while no others are added, and their last snapshot. Concurrent calls
  /// share one read.
  private final class CachedSnapshot {
    private final Pool pool;
    private List<String> items = List.of();
    private @Nullable SeatMapSnapshot last;

    CachedSnapshot(Pool pool) {
      this.pool = pool;
    }

    synchronized @Nullable SeatMapSnapshot at(PoolCounts counts) {
      if (last == null || !last.etag().equals(SeatMapSnapshot.etag(counts))) {
        last = read();
      }
      return last;
    }

    private @Nullable SeatMapSnapshot read() {
      if (items.isEmpty()) {
        items = catalogueOf(pool);
      }
      for (var attempt = 1; ; attempt++) {
        var held = new HashSet<String>();
        var inRedis = readHeld(held);
        if (inRedis == null) {
          return null;
        }
        var unavailable = catalogue.unavailable(pool.name());
        var summary = auctions.of(pool, inRedis.counts());
        if (inRedis.isConsistent()
            && unavailable.sold().size() == inRedis.counts().sold()
            && unavailable.blocked().size() == inRedis.counts().blocked()
            && summary.isConsistent()) {
          return SeatMapSnapshot.of(inRedis.counts(), items, held, unavailable, summary.json());
        }
        if (attempt == TRIES_MAX || summary.isClosing()) {
          return SeatMapSnapshot.duringChanges(
              inRedis.counts(), items, held, unavailable, summary.json());
        }
      }
    }

    /// Adds all held items; null if the pool is not open.
    private @Nullable HeldRead readHeld(Set<String> held) {
      PoolCounts first = null;
      var isConsistent = true;
      for (var from = 0; ; from += HOLDS_PER_PART - OVERLAP) {
        var part = scripts.held(pool.name(), from, from + HOLDS_PER_PART - 1);
        if (part == null) {
          return null;
        }
        first = first == null ? part.counts() : first;
        isConsistent &= first.number() == part.counts().number();
        held.addAll(part.items());
        if (part.holds() < HOLDS_PER_PART) {
          return new HeldRead(first, isConsistent && held.size() == first.held());
        }
      }
    }
  }

  /// @param isConsistent nothing has changed from the first part to the last, and the number of
  ///   items equals the count: no hold was missed, and no lapsed hold waits for the sweep
  private record HeldRead(PoolCounts counts, boolean isConsistent) {}

  private List<String> catalogueOf(Pool pool) {
    var items = new ArrayList<String>(pool.itemCount());
    while (items.size() < pool.itemCount()) {
      var part = catalogue.items(pool.name(), items.size(), ITEMS_PER_PART);
      part.forEach(item -> items.add(item.item().value()));
    }
    return items;
  }
}
