package io.holdfast.journal;

import io.holdfast.activity.ActivePools;
import io.holdfast.journal.DrainOutcome.Emptied;
import io.holdfast.journal.DrainOutcome.Superseded;
import io.holdfast.journal.DrainOutcome.Unfinished;
import io.holdfast.journal.DrainOutcome.Unseeded;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Drains the journals of all pools that are in the index, on whichever instance has the lease, for
/// as long as the service runs. A pool in trouble does not hold up the others.
@Singleton
final class DrainLoop implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(DrainLoop.class);
  private static final Duration BEHIND_PATIENCE = Duration.ofSeconds(1);
  private static final Duration REST_LOOK = Duration.ofMillis(50);

  private final JournalDrainer drainer;
  private final DrainLease duty;
  private final DrainIndex index;
  private final ActivePools active;
  private final JournalBackpressure pressure;
  private final StaleEpochListener overtaken;
  private final DrainThrottle pace;
  private final PeriodicTask task;
  private final DrainSchedule turns = new DrainSchedule();
  private final Map<PoolName, Long> behindSince = new HashMap<>();
  private long restUntil = System.nanoTime();

  private final FailureLog withPostgres =
      new FailureLog(
          LOG, "Journals wait in Redis for Postgres", "Journals are brought to Postgres again");
  private final FailureLog withRedis =
      new FailureLog(LOG, "Journals cannot be read from Redis", "Journals can be read again");
  private final FailureLog withBugs =
      new FailureLog(LOG, "A journal cannot be drained", "All journals can be drained again");

  DrainLoop(
      JournalDrainer drainer,
      DrainLease duty,
      DrainIndex index,
      ActivePools active,
      JournalBackpressure pressure,
      StaleEpochListener overtaken,
      RequestRate calls,
      JournalSettings settings,
      PeriodicTasks tasks) {
    this.drainer = drainer;
    this.duty = duty;
    this.index = index;
    this.active = active;
    this.pressure = pressure;
    this.overtaken = overtaken;
    this.pace = new DrainThrottle(calls::perSecond, settings.linesMax());
    this.task = tasks.selfPaced("journal-drain", this::turn).onStop(duty::giveBack);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// Returns how long to wait for the next one.
  private Duration turn() {
    if (!duty.isOurs()) {
      index.forget();
      turns.clear();
      return DrainLease.RENEWAL;
    }
    index.look(turns);
    var rest = rest();
    return rest.isZero()
        ? turns.next(System.nanoTime()).map(this::drain).orElseGet(this::untilNext)
        : shorter(rest, REST_LOOK);
  }

  /// How much is left of the pause after a batch, which ends when the callers are gone.
  private Duration rest() {
    var left = restUntil - System.nanoTime();
    return left <= 0 || pace.isCalm() ? Duration.ZERO : Duration.ofNanos(left);
  }

  private Duration untilNext() {
    var look = index.untilLook();
    return shorter(turns.untilNext(System.nanoTime(), look), look);
  }

  /// Whatever fails here fails for one pool: the others are drained all the same.
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
    } catch (RedisUnavailable e) {
      withRedis.has(pool, e);
    } catch (RuntimeException e) {
      if (withBugs.has(pool, e)) {
        LOG.error("The journal of pool {} cannot be drained, trying again", pool, e);
      }
    } catch (Error e) { // the task goes on after it, and must find this pool again
      turns.hadTrouble(pool, System.nanoTime());
      throw e;
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
        if (lines < JournalDrainer.BATCH / 2) {
          turns.hadFew(pool, now);
        } else {
          turns.hadLines(pool, now);
        }
        var took = Duration.ofNanos(now - start);
        restUntil = now + pace.pauseAfter(took, pressure.backlog(pool)).toNanos();
        yield Duration.ZERO;
      }
      case Emptied _ -> {
        index.isEmpty(pool);
        turns.hadNone(pool);
        yield Duration.ZERO;
      }
      case Superseded _ -> { // most often by somebody who will have seeded it in a moment
        if (now - behindSince.computeIfAbsent(pool, _ -> now) > BEHIND_PATIENCE.toNanos()) {
          overtaken.onStaleEpoch(pool);
        }
        turns.hadTrouble(pool, now);
        yield Duration.ZERO;
      }
      case Unseeded _ -> { // the sweep opens it if it has to be, which notes it again
        active.due(pool, 0);
        index.isEmpty(pool);
        turns.hadNone(pool);
        yield Duration.ZERO;
      }
    };
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
