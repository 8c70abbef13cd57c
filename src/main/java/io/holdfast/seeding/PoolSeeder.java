package io.holdfast.seeding;

import io.holdfast.catalogue.PoolCreatedListener;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.seeding.PoolScripts.Count;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Loads pools into Redis and opens them: new pools, pools that Redis has lost, and pools on a
/// server that has taken over. Concurrent calls for one pool share one seeding.
@Singleton
public final class PoolSeeder implements PoolCreatedListener {
  private static final Logger LOG = LoggerFactory.getLogger(PoolSeeder.class);

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration POLL_PAUSE = Duration.ofMillis(25);
  private static final Duration FAILURE_PAUSE = Duration.ofSeconds(1);
  private static final String LOST = "LOST";
  private static final String FIRST = "FIRST";
  private static final String SEEDING = "SEEDING";
  private static final int TRIES_MAX = 3;
  private static final int CONCURRENT_MAX = 4;

  private final EpochOpener opener;
  private final PoolScripts scripts;
  private final HoldRows holds;
  private final PoolRegistry pools;
  private final ExecutorService executor;
  private final Semaphore permits = new Semaphore(CONCURRENT_MAX, true);
  private final Map<PoolName, CompletableFuture<Boolean>> running = new ConcurrentHashMap<>();
  private final Map<PoolName, Long> pausedUntil = new ConcurrentHashMap<>();
  private volatile boolean isStopping;

  PoolSeeder(
      EpochOpener opener,
      PoolScripts scripts,
      HoldRows holds,
      PoolRegistry pools,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.opener = opener;
    this.scripts = scripts;
    this.holds = holds;
    this.pools = pools;
    this.executor = executor;
  }

  /// Returns whether the pool is open now; false after a failure or a timeout. A failure pauses
  /// further attempts, because each one uses up an epoch number and their range is limited.
  ///
  /// @param why the reason that a script replies with UNSEEDED: LOST, MOVED, SEEDING or FULL
  public CompletionStage<Boolean> open(Pool pool, String why) {
    if (isPaused(pausedUntil.get(pool.name()))) {
      return CompletableFuture.completedStage(false);
    }
    var mine = new CompletableFuture<Boolean>();
    var theirs = running.putIfAbsent(pool.name(), mine);
    if (theirs == null) {
      begin(pool, why, mine);
    }
    return (theirs == null ? mine : theirs)
        .copy()
        .completeOnTimeout(false, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Opens a pool that was just created, in its first epoch. If that fails, its first use opens it.
  @Override
  public void created(Pool pool) {
    open(pool, FIRST).toCompletableFuture().join();
  }

  /// For the sweep: opens a pool that Redis has lost only if it has live holds in Postgres, so that
  /// they end in time. Any other lost pool waits for its first use. Returns false if the sweep has
  /// to try the pool again.
  public CompletionStage<Boolean> openIfNeeded(PoolName name, String why) {
    return CompletableFuture.supplyAsync(() -> needed(name, why), executor)
        .thenCompose(
            pool ->
                pool.isPresent() ? open(pool.get(), why) : CompletableFuture.completedStage(true));
  }

  /// Starts no further seedings and waits a bounded time for the running ones.
  public void stop() {
    isStopping = true;
    var all = running.values().toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(all)
        .completeOnTimeout(null, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /// The order matters: either `stop` sees this seeding in `running`, or this sees `isStopping`.
  private void begin(Pool pool, String why, CompletableFuture<Boolean> mine) {
    if (isStopping) {
      running.remove(pool.name(), mine);
      mine.complete(false);
    } else {
      executor.execute(() -> finish(pool, why, mine));
    }
  }

  private static boolean isPaused(@Nullable Long moment) {
    return moment != null && moment - System.nanoTime() > 0;
  }

  /// Fails with `PostgresUnavailable`.
  private Optional<Pool> needed(PoolName name, String why) {
    var isNeeded = !why.equals(LOST) || !holds.live(name, Long.MAX_VALUE, 1).isEmpty();
    return isNeeded ? pools.find(name) : Optional.empty();
  }

  private void finish(Pool pool, String why, CompletableFuture<Boolean> done) {
    var isOpen = false;
    permits.acquireUninterruptibly();
    try {
      isOpen = seed(pool, why);
    } catch (RuntimeException e) { // of Redis, Postgres or the epoch counter
      pausedUntil.put(pool.name(), System.nanoTime() + FAILURE_PAUSE.toNanos());
      LOG.warn(
          "Pool {} could not be loaded into Redis ({}); the next call tries again",
          pool.name(),
          e.getMessage());
      LOG.debug("cause", e);
    } finally {
      permits.release();
      running.remove(pool.name(), done);
      done.complete(isOpen);
    }
  }

  /// Of two concurrent seedings the later one wins, and the superseded one waits for it. A seeding
  /// that died is superseded by the next attempt.
  private boolean seed(Pool pool, String why) {
    if (why.equals(SEEDING) && isOpenedByAnother(pool.name())) {
      return true;
    }
    if (why.equals(FIRST) && opener.open(pool, pool.epoch(), why)) {
      return true;
    }
    for (var attempt = 0; attempt < TRIES_MAX; attempt++) {
      if (opener.open(pool, why) || isOpenedByAnother(pool.name())) {
        return true;
      }
    }
    return false;
  }

  private boolean isOpenedByAnother(PoolName pool) {
    var deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() - deadline < 0) {
      switch (ScriptReplies.await(scripts.count(pool))) {
        case Count.Counts _ -> {
          return true;
        }
        case Count.NotOpen(var why) -> {
          if (!why.equals(SEEDING)) {
            return false; // the other seeding has ended
          }
        }
      }
      LockSupport.parkNanos(POLL_PAUSE.toNanos());
    }
    return false;
  }
}
