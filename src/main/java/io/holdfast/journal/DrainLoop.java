package io.holdfast.journal;

import io.holdfast.activity.ActivePools;
import io.holdfast.journal.JournalDrainer.DrainOutcome;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Emptied;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Superseded;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Unfinished;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Unseeded;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Leases;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.FailureLog;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Drains the journals of all pools in the index, on the instance that holds the lease. A failure
/// of one pool does not delay the others.
@Singleton
final class DrainLoop implements StartupTask {
  private static final String LEASE = "journal";

  private static final Logger LOG = LoggerFactory.getLogger(DrainLoop.class);
  private static final Duration LEASE_FOR = Duration.ofMillis(4_500);
  private static final Duration LEASE_RENEWAL = LEASE_FOR.dividedBy(3);

  /// Most often another instance is seeding the pool and will have finished by then.
  private static final Duration STALE_EPOCH_GRACE = Duration.ofSeconds(1);

  /// How often the loop checks during a pause whether requests have stopped.
  private static final Duration PAUSE_CHECK = Duration.ofMillis(50);

  private final JournalDrainer drainer;
  private final Leases leases;
  private final InstanceId instance;
  private final DrainIndex index;
  private final ActivePools active;
  private final JournalBackpressure backpressure;
  private final StaleEpochListener staleEpochs;
  private final PeriodicTask task;
  private final DrainSchedule schedule;
  private final Map<PoolName, Long> staleSince = new HashMap<>();
  private boolean isLeased;
  private long leaseAskedAt = System.nanoTime() - LEASE_RENEWAL.toNanos();

  private final FailureLog postgresFailures =
      new FailureLog(
          LOG, "Journals wait in Redis for Postgres", "Journals are stored in Postgres again");
  private final FailureLog redisFailures =
      new FailureLog(LOG, "Journals cannot be read from Redis", "Journals can be read again");
  private final FailureLog otherFailures =
      new FailureLog(LOG, "A journal cannot be drained", "All journals can be drained again");

  DrainLoop(
      JournalDrainer drainer,
      Leases leases,
      InstanceId instance,
      DrainIndex index,
      ActivePools active,
      JournalBackpressure backpressure,
      StaleEpochListener staleEpochs,
      RequestRate requests,
      JournalSettings settings,
      PeriodicTasks tasks) {
    this.drainer = drainer;
    this.leases = leases;
    this.instance = instance;
    this.index = index;
    this.active = active;
    this.backpressure = backpressure;
    this.staleEpochs = staleEpochs;
    this.schedule = new DrainSchedule(requests::perSecond, settings.linesMax());
    this.task = tasks.selfPaced("journal-drain", this::step).onStop(this::releaseLease);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// Drains one batch of one pool. Returns the time until the next step.
  private Duration step() {
    if (!holdsLease()) {
      index.reset();
      schedule.clear();
      return LEASE_RENEWAL;
    }
    index.addTo(schedule);
    var pause = schedule.pauseLeft(System.nanoTime());
    if (!pause.isZero()) {
      return shorter(pause, PAUSE_CHECK);
    }
    var next = schedule.next(System.nanoTime());
    if (next.isEmpty()) {
      var untilRead = index.untilNextRead();
      return shorter(schedule.untilNext(System.nanoTime(), untilRead), untilRead);
    }
    drain(next.get());
    return Duration.ZERO;
  }

  private boolean holdsLease() {
    var now = System.nanoTime();
    if (now - leaseAskedAt >= LEASE_RENEWAL.toNanos()) {
      renewLease();
      leaseAskedAt = now;
    }
    return isLeased;
  }

  private void renewLease() {
    var wasLeased = isLeased;
    isLeased = false; // stays false if the renewal fails
    isLeased = leases.take(LEASE, instance.name(), LEASE_FOR);
    if (isLeased != wasLeased) {
      LOG.info(
          isLeased ? "This instance drains the journals" : "Another instance drains the journals");
    }
  }

  private void releaseLease() {
    if (isLeased) {
      leases.giveBack(LEASE, instance.name());
      isLeased = false;
    }
  }

  /// Any failure concerns this pool only; the others are drained.
  private void drain(PoolName pool) {
    var start = System.nanoTime();
    try {
      var outcome = drainer.drain(pool, 1);
      postgresFailures.succeeded(pool);
      redisFailures.succeeded(pool);
      otherFailures.succeeded(pool);
      scheduleNext(pool, outcome, start);
      return;
    } catch (PostgresUnavailable e) {
      postgresFailures.failed(pool, e);
    } catch (RedisUnavailable e) {
      redisFailures.failed(pool, e);
    } catch (RuntimeException e) {
      if (otherFailures.failed(pool, e)) {
        LOG.error("The journal of pool {} cannot be drained, trying again", pool, e);
      }
    } catch (Error e) { // the periodic task continues, and must find this pool again
      schedule.failed(pool, System.nanoTime());
      throw e;
    }
    schedule.failed(pool, System.nanoTime());
  }

  private void scheduleNext(PoolName pool, DrainOutcome outcome, long start) {
    var now = System.nanoTime();
    if (!(outcome instanceof Superseded)) {
      staleSince.remove(pool);
    }
    switch (outcome) {
      case Unfinished(var lines) -> {
        if (lines < JournalDrainer.BATCH / 2) {
          schedule.hadFewLines(pool, now);
        } else {
          schedule.hadManyLines(pool, now);
        }
        schedule.pause(Duration.ofNanos(now - start), backpressure.backlog(pool), now);
      }
      case Emptied _ -> {
        index.journalIsEmpty(pool);
        schedule.wasEmpty(pool);
      }
      case Superseded _ -> {
        if (now - staleSince.computeIfAbsent(pool, _ -> now) > STALE_EPOCH_GRACE.toNanos()) {
          staleEpochs.onStaleEpoch(pool);
        }
        schedule.failed(pool, now);
      }
      case Unseeded _ -> { // the sweep seeds the pool if needed, which adds it to the index again
        active.due(pool, 0);
        index.journalIsEmpty(pool);
        schedule.wasEmpty(pool);
      }
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
