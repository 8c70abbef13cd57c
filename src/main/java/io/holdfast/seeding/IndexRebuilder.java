package io.holdfast.seeding;

import io.holdfast.activity.ActivePools;
import io.holdfast.activity.PoolIndex;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Leases;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.seeding.PoolScripts.Status;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds pools that have work but are missing in the index: a killed instance has not entered its
/// last writes, and a Redis that lost its data has lost the index. One instance at a time checks
/// all pools, a few per turn. After a loss, Postgres is asked at once which pools have live holds.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
public final class IndexRebuilder implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(IndexRebuilder.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration ROUND_MIN = Duration.ofSeconds(15);
  private static final Duration LEASE = ROUND_MIN.multipliedBy(2);

  /// About a millisecond of Redis' time.
  private static final int POOLS_PER_TURN = 100;

  private final PoolRegistry pools;
  private final PoolScripts scripts;
  private final PoolIndex index;
  private final ActivePools active;
  private final HoldRows holds;
  private final Leases leases;
  private final PeriodicTask task;
  private final String self;
  private final Deque<PoolName> left = new ArrayDeque<>();
  private final AtomicReference<@Nullable String> lostOn = new AtomicReference<>();
  private long roundSince;

  IndexRebuilder(
      PoolRegistry pools,
      PoolScripts scripts,
      PoolIndex index,
      ActivePools active,
      HoldRows holds,
      Leases leases,
      InstanceId instance,
      PeriodicTasks tasks) {
    this.pools = pools;
    this.scripts = scripts;
    this.index = index;
    this.active = active;
    this.holds = holds;
    this.leases = leases;
    this.self = instance.name();
    this.task = tasks.selfPaced("pool-walk", this::turn);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// The index is lost, or was written on another server than the one with this run id.
  public void rebuild(String runId) {
    if (lostOn.getAndSet(runId) == null) {
      task.wake();
    }
  }

  /// Returns the pause before the next turn.
  private Duration turn() {
    rebuildIfLost();
    if (!leases.take("pool-walk", self, LEASE)) {
      left.clear();
      return ROUND_MIN;
    }
    if (left.isEmpty()) {
      left.addAll(pools.names());
      roundSince = System.nanoTime();
    }
    check(next());
    if (!left.isEmpty()) {
      return PAUSE;
    }
    var rest = ROUND_MIN.minusNanos(System.nanoTime() - roundSince);
    return rest.compareTo(PAUSE) > 0 ? rest : PAUSE;
  }

  /// Every instance that notices the loss does this; the result is the same.
  private void rebuildIfLost() {
    var runId = lostOn.get();
    if (runId == null) {
      return;
    }
    var live = holds.poolsWithLiveHolds();
    live.forEach(pool -> active.due(pool, 0));
    active.flush();
    index.markRebuilt(runId);
    lostOn.compareAndSet(runId, null);
    left.clear(); // start the next round at once
    if (!live.isEmpty()) {
      LOG.info(
          "Redis has lost its data or was replaced; {} pools with live holds are checked",
          live.size());
    }
  }

  private List<PoolName> next() {
    var some = new ArrayList<PoolName>(POOLS_PER_TURN);
    while (!left.isEmpty() && some.size() < POOLS_PER_TURN) {
      some.add(left.removeFirst());
    }
    return some;
  }

  private void check(List<PoolName> some) {
    var replies = new LinkedHashMap<PoolName, CompletionStage<Status>>();
    some.forEach(pool -> replies.put(pool, scripts.status(pool)));
    var absent = new ArrayList<PoolName>();
    var failures = new ArrayList<RedisUnavailable>();
    replies.forEach(
        (pool, reply) -> {
          try {
            if (!isEntered(pool, ScriptReplies.await(reply))) {
              absent.add(pool);
            }
          } catch (RedisUnavailable e) { // of one node; pools of other nodes are still checked
            failures.add(e);
          }
        });
    if (!absent.isEmpty()) {
      holds.withLiveHolds(absent).forEach(pool -> active.due(pool, 0));
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }

  /// Returns false if Redis has nothing of the pool, so that only Postgres can tell.
  private boolean isEntered(PoolName pool, Status status) {
    var hasData = status.hasLines() || status.dueMs() != null;
    if (status.isOpen() && status.dueMs() != null) {
      active.due(pool, status.dueMs());
    } else if (!status.isOpen() && (hasData || status.isSeeding())) {
      active.due(pool, 0); // the sweep opens it
    }
    if (status.isOpen() && status.hasLines()) {
      active.wrote(pool);
    }
    return status.isOpen() || hasData;
  }
}
