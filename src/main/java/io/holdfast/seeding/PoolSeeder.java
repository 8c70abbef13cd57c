package io.holdfast.seeding;

import io.holdfast.catalogue.PoolCreatedListener;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
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

/// Brings pools into Redis' memory: when they are new, when the memory was lost, and when another
/// server has taken over. However many ask, one of them does it, and the others wait.
@Singleton
public final class PoolSeeder implements PoolCreatedListener {
  private static final Logger LOG = LoggerFactory.getLogger(PoolSeeder.class);

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LOOK = Duration.ofMillis(25);
  private static final Duration REST = Duration.ofSeconds(1);
  private static final String LOST = "LOST";
  private static final String FIRST = "FIRST";
  private static final String SEEDING = "SEEDING";
  private static final int TRIES_MAX = 3;
  private static final int AT_ONCE_MAX = 4;

  private final EpochOpener reopening;
  private final PoolScripts scripts;
  private final HoldRows holds;
  private final PoolRegistry pools;
  private final ExecutorService executor;
  private final Semaphore places = new Semaphore(AT_ONCE_MAX, true);
  private final Map<PoolName, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();
  private final Map<PoolName, Long> restsUntil = new ConcurrentHashMap<>();
  private volatile boolean isStopping;

  PoolSeeder(
      EpochOpener reopening,
      PoolScripts scripts,
      HoldRows holds,
      PoolRegistry pools,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.reopening = reopening;
    this.scripts = scripts;
    this.holds = holds;
    this.pools = pools;
    this.executor = executor;
  }

  /// Whether the pool is open now; false if that could not be done, or not yet. After a failure it
  /// is left alone for a moment: each try takes a number of an epoch, and there is an end to them.
  ///
  /// @param why as a script says it with UNSEEDED: LOST, MOVED, SEEDING or FULL
  public CompletionStage<Boolean> open(Pool pool, String why) {
    if (isBefore(restsUntil.get(pool.name()))) {
      return CompletableFuture.completedStage(false);
    }
    var mine = new CompletableFuture<Boolean>();
    var theirs = underWay.putIfAbsent(pool.name(), mine);
    if (theirs == null) {
      begin(pool, why, mine);
    }
    return (theirs == null ? mine : theirs)
        .copy()
        .completeOnTimeout(false, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Opens a pool that was just created, in the epoch that it was created with. If that fails, its
  /// first use opens it.
  @Override
  public void created(Pool pool) {
    open(pool, FIRST).toCompletableFuture().join();
  }

  /// For the sweep: a pool that Redis lost is brought back if a hold of it lives in Postgres, so
  /// that it ends in time; any other one waits for its first use. Ends with false if the sweep has
  /// to look at the pool again.
  public CompletionStage<Boolean> openIfNeeded(PoolName name, String why) {
    return CompletableFuture.supplyAsync(() -> needed(name, why), executor)
        .thenCompose(
            pool ->
                pool.isPresent() ? open(pool.get(), why) : CompletableFuture.completedStage(true));
  }

  /// Begins nothing any more and waits for what is under way, for a bounded time.
  public void stop() {
    isStopping = true;
    var all = underWay.values().toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(all)
        .completeOnTimeout(null, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /// The order matters: `stop` sees this one in `underWay`, or this one sees `isStopping`.
  private void begin(Pool pool, String why, CompletableFuture<Boolean> mine) {
    if (isStopping) {
      underWay.remove(pool.name(), mine);
      mine.complete(false);
    } else {
      executor.execute(() -> finish(pool, why, mine));
    }
  }

  private static boolean isBefore(@Nullable Long moment) {
    return moment != null && moment - System.nanoTime() > 0;
  }

  /// Fails with `PostgresUnavailable`.
  private Optional<Pool> needed(PoolName name, String why) {
    var isNeeded = !why.equals(LOST) || !holds.live(name, Long.MAX_VALUE, 1).isEmpty();
    return isNeeded ? pools.find(name) : Optional.empty();
  }

  private void finish(Pool pool, String why, CompletableFuture<Boolean> done) {
    var isOpen = false;
    places.acquireUninterruptibly();
    try {
      isOpen = seed(pool, why);
    } catch (RuntimeException e) { // of either server, or of what numbers epochs: nobody else waits
      restsUntil.put(pool.name(), System.nanoTime() + REST.toNanos());
      LOG.warn(
          "Pool {} could not be loaded into Redis ({}); the next call tries again",
          pool.name(),
          e.getMessage());
      LOG.debug("because of", e);
    } finally {
      places.release();
      underWay.remove(pool.name(), done);
      done.complete(isOpen);
    }
  }

  /// Of two that begin at once the later wins, so whoever was overtaken waits for it; one that died
  /// half-way is overtaken in turn.
  private boolean seed(Pool pool, String why) {
    if (why.equals(SEEDING) && isOpenedByAnother(pool.name())) {
      return true;
    }
    if (why.equals(FIRST) && reopening.reopen(pool, pool.epoch(), why)) {
      return true;
    }
    for (var attempt = 0; attempt < TRIES_MAX; attempt++) {
      if (reopening.reopen(pool, why) || isOpenedByAnother(pool.name())) {
        return true;
      }
    }
    return false;
  }

  private boolean isOpenedByAnother(PoolName pool) {
    var deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - deadline < 0) {
      var reply = ScriptReplies.fields(scripts.count(pool));
      if (reply[0].equals("COUNTS")) {
        return true;
      }
      if (!reply[1].equals(SEEDING)) {
        return false; // nobody is at it any more
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return false;
  }
}
