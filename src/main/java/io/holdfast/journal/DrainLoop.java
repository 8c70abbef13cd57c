package io.holdfast.journal;

import io.holdfast.AtStart;
import io.holdfast.intent.IntentUnavailable;
import io.holdfast.journal.DrainOutcome.Emptied;
import io.holdfast.journal.DrainOutcome.Superseded;
import io.holdfast.journal.DrainOutcome.Unfinished;
import io.holdfast.journal.DrainOutcome.Unseeded;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Drains all journals, on whichever instance has the lease, for as long as the service runs. Goes
/// on whatever happens: a server that is away is asked again, less and less often but at least
/// every two seconds, and a pool in trouble does not hold up the others.
@Singleton
final class DrainLoop implements AtStart, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DrainLoop.class);
  private static final Duration TROUBLE_MIN = Duration.ofMillis(50);
  private static final Duration TROUBLE_MAX = Duration.ofSeconds(2);
  private static final Duration BEHIND_PATIENCE = Duration.ofSeconds(1);
  private static final Duration REST_LOOK = Duration.ofMillis(50);
  private static final Duration END_PATIENCE = Duration.ofSeconds(10);

  private final Drainer drainer;
  private final DrainDuty duty;
  private final Pressure pressure;
  private final Overtaken overtaken;
  private final Pace pace;
  private final TaskScheduler scheduler;
  private final Turns turns = new Turns();
  private final Map<PoolName, Long> behindSince = new HashMap<>();
  private final ReentrantLock working = new ReentrantLock();
  private volatile boolean isClosed;
  private Duration pauseInTrouble = TROUBLE_MIN;
  private long restUntil = System.nanoTime();

  private final Troubles withPostgres =
      new Troubles(
          LOG, "Journals wait in Redis for Postgres", "Journals are brought to Postgres again");
  private final Troubles withRedis =
      new Troubles(LOG, "Journals cannot be read from Redis", "Journals can be read again");
  private final Troubles withBugs =
      new Troubles(LOG, "A journal makes trouble", "All journals can be drained again");

  DrainLoop(
      Drainer drainer,
      DrainDuty duty,
      Pressure pressure,
      Overtaken overtaken,
      CallRate calls,
      JournalSettings settings,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.drainer = drainer;
    this.duty = duty;
    this.pressure = pressure;
    this.overtaken = overtaken;
    this.pace = new Pace(calls::perSecond, settings.linesMax());
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    scheduler.schedule(Duration.ZERO, this::round);
  }

  /// Ends after the batch that is under way, and lets another instance take over at once.
  @Override
  @PreDestroy
  public void close() {
    isClosed = true;
    try {
      if (working.tryLock(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        duty.giveBack();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (PostgresUnavailable e) {
      LOG.debug("the lease of the journals was not given back, it ends by itself", e);
    }
  }

  private void round() {
    var pause = TROUBLE_MAX;
    working.lock();
    try {
      if (isClosed) {
        return;
      }
      pause = turn();
    } finally {
      working.unlock();
    }
    scheduler.schedule(pause, this::round);
  }

  /// Returns how long to wait for the next one.
  private Duration turn() {
    try {
      var isOurs = duty.isOurs(turns);
      withPostgres.hasNot(this);
      pauseInTrouble = TROUBLE_MIN;
      if (!isOurs) {
        return DrainDuty.RENEWAL;
      }
      var rest = rest();
      return rest.isZero()
          ? turns.next(System.nanoTime()).map(this::drain).orElseGet(this::untilNext)
          : shorter(rest, REST_LOOK);
    } catch (PostgresUnavailable e) {
      withPostgres.has(this, e);
      var pause = pauseInTrouble;
      pauseInTrouble = shorter(pause.multipliedBy(2), TROUBLE_MAX);
      return pause;
    }
  }

  /// How much is left of the pause after a batch, which ends when the callers are gone.
  private Duration rest() {
    var left = restUntil - System.nanoTime();
    return left <= 0 || pace.isCalm() ? Duration.ZERO : Duration.ofNanos(left);
  }

  private Duration untilNext() {
    return shorter(turns.untilNext(System.nanoTime()), DrainDuty.RENEWAL);
  }

  /// The one place that survives whatever happens: a bug in a batch must not stop the others.
  private Duration drain(PoolName pool) {
    var start = System.nanoTime();
    try {
      var outcome = drainer.drain(pool, 1);
      withPostgres.hasNot(pool);
      withRedis.hasNot(pool);
      withBugs.hasNot(pool);
      return next(pool, outcome, start);
    } catch (PostgresUnavailable e) {
      withPostgres.has(pool, e);
    } catch (IntentUnavailable e) {
      withRedis.has(pool, e);
    } catch (RuntimeException e) {
      if (withBugs.has(pool, e)) {
        LOG.error("The journal of pool {} cannot be drained, trying again", pool, e);
      }
    }
    turns.hadTrouble(pool, System.nanoTime());
    return Duration.ZERO;
  }

  private Duration next(PoolName pool, DrainOutcome outcome, long start) {
    var now = System.nanoTime();
    if (!(outcome instanceof Superseded)) {
      behindSince.remove(pool);
    }
    return switch (outcome) {
      case Unfinished(var lines) -> {
        if (lines < Drainer.BATCH / 2) {
          turns.hadFew(pool, now);
        } else {
          turns.hadLines(pool, now);
        }
        var took = Duration.ofNanos(now - start);
        restUntil = now + pace.pauseAfter(took, pressure.backlog(pool)).toNanos();
        yield Duration.ZERO;
      }
      case Emptied _ -> {
        turns.hadNone(pool, now);
        yield Duration.ZERO;
      }
      case Superseded _ -> { // most often by somebody who will have seeded it in a moment
        if (now - behindSince.computeIfAbsent(pool, _ -> now) > BEHIND_PATIENCE.toNanos()) {
          overtaken.isBehind(pool);
        }
        turns.hadTrouble(pool, now);
        yield Duration.ZERO;
      }
      case Unseeded _ -> { // its first use will seed it
        turns.hadTrouble(pool, now);
        yield Duration.ZERO;
      }
    };
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
