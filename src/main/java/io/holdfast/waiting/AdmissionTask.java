package io.holdfast.waiting;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Leases;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.FailureLog;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.waiting.Admitter.Run;
import io.holdfast.waiting.TurnSchedule.Turn;
import io.holdfast.waiting.WaitingReplies.Head;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets waiting rooms work by themselves: ends tickets without a sign of life, draws raffles, and
/// admits tickets as the policy says. Every instance does so; a lease saves the effort of several
/// at once. A room without waiting tickets is looked at rarely, until somebody joins here. A
/// failure of one room does not delay the others.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class AdmissionTask implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionTask.class);

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration PAUSE_IDLE = Duration.ofSeconds(5);

  /// Pause before a room is looked at again that another instance works on, or that may admit
  /// nobody now.
  private static final Duration PAUSE_OTHER = Duration.ofSeconds(1);

  /// How often the pace of a room is measured.
  private static final Duration UPKEEP = Duration.ofSeconds(5);

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LEASE_RENEWAL = LEASE.dividedBy(2);
  private static final String LOST = "LOST";

  private final WaitingScripts scripts;
  private final TicketSweep sweep;
  private final Admitter admitter;
  private final Raffle raffle;
  private final TicketTable tickets;
  private final PoolRegistry pools;
  private final PoolSeeder seeder;
  private final Leases leases;
  private final String self;
  private final PeriodicTask task;
  private final TurnSchedule schedule = new TurnSchedule();
  private final Map<PoolName, Long> leasedUntil = new HashMap<>();
  private final Map<PoolName, Long> upkeepAt = new HashMap<>();

  private final FailureLog lostServers =
      new FailureLog(
          LOG,
          "Waiting rooms wait for Redis or Postgres",
          "Waiting rooms have Redis and Postgres again");
  private final FailureLog otherFailures =
      new FailureLog(LOG, "A waiting room cannot work", "All waiting rooms work again");

  AdmissionTask(
      WaitingScripts scripts,
      TicketSweep sweep,
      Admitter admitter,
      Raffle raffle,
      TicketTable tickets,
      PoolRegistry pools,
      PoolSeeder seeder,
      Leases leases,
      InstanceId instance,
      PeriodicTasks tasks,
      MeterRegistry meters) {
    this.scripts = scripts;
    this.sweep = sweep;
    this.admitter = admitter;
    this.raffle = raffle;
    this.tickets = tickets;
    this.pools = pools;
    this.seeder = seeder;
    this.leases = leases;
    this.self = instance.name();
    this.task = tasks.selfPaced("admissions", this::work);
    Gauge.builder("holdfast.queue.depth", schedule, TurnSchedule::waiting)
        .tag("queue", "waiting-room")
        .description("Tickets that wait in the waiting rooms, as this instance last saw them")
        .strongReference(true) // the gauge of a collected object would show NaN
        .register(meters);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// Somebody joined here.
  void joined(PoolName pool) {
    if (schedule.joined(pool)) {
      task.wake();
    }
  }

  /// Takes the turns that are due. Returns the time until the next one.
  Duration work() {
    var pause = PAUSE_IDLE;
    for (var pool : pools.withWaitingRooms()) {
      if (schedule.left(pool.name()).isZero()) {
        takeTurn(pool);
      }
      pause = shorter(schedule.left(pool.name()), pause);
    }
    return pause;
  }

  /// Any failure concerns this room only. After an error, too, the next run goes on with the rooms
  /// behind, because this one is not due then.
  private void takeTurn(Pool pool) {
    var name = pool.name();
    schedule.begin(name);
    try {
      schedule.end(name, turn(pool));
      lostServers.succeeded(name);
      otherFailures.succeeded(name);
    } catch (RedisUnavailable | PostgresUnavailable e) {
      lostServers.failed(name, e);
    } catch (RuntimeException e) {
      if (otherFailures.failed(name, e)) {
        LOG.error("The waiting room of pool {} cannot work, trying again", name, e);
      }
    }
  }

  Turn turn(Pool pool) {
    var name = pool.name();
    var swept = sweep.sweep(name);
    var head = swept == TicketSweep.Swept.NOT_OPEN ? null : scripts.head(name, 0);
    if (head == null) {
      openIfNeeded(pool);
      return new Turn(0, PAUSE_OTHER);
    }
    if (head.waiting() == 0) {
      return new Turn(0, head.inside() == 0 ? PAUSE_IDLE : PAUSE_OTHER);
    }
    var pause = swept == TicketSweep.Swept.SOME ? PAUSE : admit(pool, head);
    return new Turn(head.waiting(), pause);
  }

  /// Returns the pause before the next turn. A room that may admit nobody costs no lease.
  private Duration admit(Pool pool, Head counts) {
    var name = pool.name();
    var isUpkeepDue = upkeepAt.getOrDefault(name, System.nanoTime()) - System.nanoTime() <= 0;
    var isRaffleDue = !raffle.isOver(pool, Instant.MAX, Instant.MAX);
    var mayAdmit = Admitter.mayAdmit(pool, counts);
    if (!(mayAdmit || isUpkeepDue || isRaffleDue) || !hasLease(name)) {
      return PAUSE_OTHER;
    }
    if (isUpkeepDue) {
      admitter.measurePaceAndClear(pool);
      upkeepAt.put(name, System.nanoTime() + UPKEEP.toNanos());
    }
    raffle.drawIfDue(pool, counts);
    return mayAdmit ? admitByPolicy(pool, counts) : PAUSE_OTHER;
  }

  private Duration admitByPolicy(Pool pool, Head counts) {
    return switch (admitter.admitByPolicy(pool, counts)) {
      case Run.Admitted _, Run.Overtaken() -> PAUSE;
      case Run.Nobody(_, var rest) ->
          rest.compareTo(PAUSE) < 0 ? PAUSE : shorter(rest, PAUSE_OTHER);
      case Run.NotOpen() -> PAUSE_OTHER;
    };
  }

  /// A lease that lasts for a while is not asked for again.
  private boolean hasLease(PoolName pool) {
    var now = System.nanoTime();
    if (leasedUntil.getOrDefault(pool, now) - now > LEASE_RENEWAL.toNanos()) {
      return true;
    }
    if (leases.take("admission-" + pool, self, LEASE)) {
      leasedUntil.put(pool, now + LEASE.toNanos());
      return true;
    }
    leasedUntil.remove(pool);
    return false;
  }

  /// A lost pool without waiting tickets waits for its first use.
  private void openIfNeeded(Pool pool) {
    if (!tickets.waiting(pool.name(), 0, 1).isEmpty()) {
      ScriptReplies.await(seeder.open(pool, LOST));
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
