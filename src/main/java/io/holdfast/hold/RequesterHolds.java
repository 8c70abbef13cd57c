package io.holdfast.hold;

import io.holdfast.activity.PoolIndex;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldQueries.Reading;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.journal.store.HoldRows.InPool;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Lists what one requester holds or has bought, in pools of all kinds. For threads that may block.
@Singleton
final class RequesterHolds {
  /// Journals that are drained first. In a service with more busy pools, a hold may be missing for
  /// the second that its journal line takes to Postgres.
  private static final int DRAINS_MAX = 50;

  private final PoolIndex index;
  private final JournalDrainer drainer;
  private final HoldRows rows;
  private final HoldQueries queries;
  private final PoolRegistry pools;

  RequesterHolds(
      PoolIndex index,
      JournalDrainer drainer,
      HoldRows rows,
      HoldQueries queries,
      PoolRegistry pools) {
    this.index = index;
    this.drainer = drainer;
    this.rows = rows;
    this.queries = queries;
    this.pools = pools;
  }

  /// @param next the last hold of this page, if another page follows
  record Page(List<Shown> holds, @Nullable HoldId next) {}

  record Shown(Pool pool, HoldRecord hold) {}

  /// In the order of pools, and of placement in each.
  ///
  /// @param after the last hold of the previous page
  /// @throws HoldsUnavailable if Redis does not answer
  Page page(String caller, String requester, @Nullable HoldId after, int limit) {
    index.drains(0, DRAINS_MAX, Map.of()).keySet().forEach(drainer::drainAll);
    var read = rows.ofRequester(caller, requester, after, limit + 1);
    var shown = read.subList(0, Math.min(read.size(), limit));
    var byPool = new LinkedHashMap<PoolName, List<HoldRecord>>();
    shown.forEach(
        each -> byPool.computeIfAbsent(each.pool(), _ -> new ArrayList<>()).add(each.hold()));
    var holds = new ArrayList<Shown>();
    byPool.forEach((name, some) -> holds.addAll(current(pools.find(name).orElseThrow(), some)));
    return new Page(holds, read.size() > limit ? last(shown) : null);
  }

  private static HoldId last(List<InPool> shown) {
    var last = shown.getLast();
    return last.hold().id(last.pool());
  }

  /// With the leases and ends that Redis has.
  private List<Shown> current(Pool pool, List<HoldRecord> holds) {
    return switch (queries.current(pool, holds).toCompletableFuture().join()) {
      case Reading.Found(var found, _) ->
          found.stream().map(hold -> new Shown(pool, hold)).toList();
      case Reading.Nothing() -> List.of();
      case Reading.NotNow(var why) -> throw new HoldsUnavailable(pool, why);
    };
  }

  /// Redis gives no answer, and Postgres alone does not know which holds live.
  static final class HoldsUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Pool pool;
    private final transient HoldOutcome why;

    HoldsUnavailable(Pool pool, HoldOutcome why) {
      super(null, null, false, false);
      this.pool = pool;
      this.why = why;
    }

    Pool pool() {
      return pool;
    }

    HoldOutcome why() {
      return why;
    }
  }
}
