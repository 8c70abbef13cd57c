package io.holdfast.seatmap;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolName;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.ScriptReplies;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// All items of a pool and how each of them stands. Redis is asked for what is held in parts that
/// keep nobody waiting, Postgres for what is sold; a picture is kept and shown again until
/// something changes. For threads that may block.
@Singleton
final class SeatMapReader {
  private static final int HOLDS_A_PART = 500;

  /// Holds are walked in the order of their ends, which heartbeats change: a part begins before the
  /// end of the last one, so that what has moved down by so many places meanwhile is still found.
  private static final int OVERLAP = 50;

  private static final int ITEMS_A_PART = 5_000;
  private static final int TRIES_MAX = 3;
  private static final int POOLS_KEPT = 16;

  private final PoolScripts scripts;
  private final Catalogue catalogue;
  private final Cache<PoolName, Drawing> drawings =
      Caffeine.newBuilder().maximumSize(POOLS_KEPT).build();

  SeatMapReader(PoolScripts scripts, Catalogue catalogue) {
    this.scripts = scripts;
    this.catalogue = catalogue;
  }

  /// Empty if the pool is not open in Redis.
  ///
  /// @param standing how the pool stood a moment ago
  Optional<SeatMapSnapshot> picture(Pool pool, PoolCounts standing) {
    var drawing = drawings.get(pool.name(), _ -> new Drawing(pool));
    return Optional.ofNullable(drawing.at(standing));
  }

  /// The items of one pool, which never change, and the last picture of them. Those who ask at the
  /// same time wait for one picture and share it.
  private final class Drawing {
    private final Pool pool;
    private List<String> items = List.of();
    private @Nullable SeatMapSnapshot last;

    Drawing(Pool pool) {
      this.pool = pool;
    }

    synchronized @Nullable SeatMapSnapshot at(PoolCounts standing) {
      if (last == null || !last.etag().equals(SeatMapSnapshot.etag(standing))) {
        last = draw();
      }
      return last;
    }

    private @Nullable SeatMapSnapshot draw() {
      if (items.isEmpty()) {
        items = catalogueOf(pool);
      }
      for (var attempt = 1; ; attempt++) {
        var held = new HashSet<String>();
        var before = look(held);
        if (before == null) {
          return null;
        }
        var sold = catalogue.sold(pool.name());
        if (before.isCalm() && sold.size() == before.standing().sold()) {
          return SeatMapSnapshot.of(before.standing(), items, held, sold);
        }
        if (attempt == TRIES_MAX) {
          return SeatMapSnapshot.ofUnrest(before.standing(), items, held, sold);
        }
      }
    }

    /// Walks over all that is held; null if the pool is not open.
    private @Nullable Look look(Set<String> held) {
      PoolCounts first = null;
      var isCalm = true;
      for (var from = 0; ; from += HOLDS_A_PART - OVERLAP) {
        var reply =
            ScriptReplies.of(scripts.held(pool.name(), from, from + HOLDS_A_PART - 1)).getFirst();
        var fields = reply.split("\t", -1);
        if (!fields[0].equals("ITEMS")) {
          return null;
        }
        var now = PoolCounts.read(reply);
        first = first == null ? now : first;
        isCalm &= first.number() == now.number();
        var items = fields[6];
        if (!items.isEmpty()) {
          held.addAll(List.of(items.split("\n")));
        }
        if (Integer.parseInt(fields[5]) < HOLDS_A_PART) {
          return new Look(first, isCalm && held.size() == first.held());
        }
      }
    }
  }

  /// @param isCalm nothing has changed from the first part to the last, and all that is held was
  ///   found: neither has a hold slipped past the walk, nor does a lapsed one wait for its end
  private record Look(PoolCounts standing, boolean isCalm) {}

  private List<String> catalogueOf(Pool pool) {
    var items = new ArrayList<String>(pool.itemCount());
    while (items.size() < pool.itemCount()) {
      var part = catalogue.items(pool.name(), items.size(), ITEMS_A_PART);
      part.forEach(item -> items.add(item.item().value()));
    }
    return items;
  }
}
