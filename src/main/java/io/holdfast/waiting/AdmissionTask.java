package io.holdfast.waiting;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Leases;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.waiting.Admitter.Run;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Lets waiting rooms work by themselves: ends tickets without a sign of life, draws raffles, and
/// admits tickets as the policy says. Every instance does so; a lease saves the effort of several
/// at once. A room without waiting tickets is looked at rarely, until somebody joins here.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class AdmissionTask implements StartupTask {
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration PAUSE_IDLE = Duration.ofSeconds(5);

  /// Pause before a room is looked at again that another instance works on.
  private static final Duration PAUSE_OTHER = Duration.ofSeconds(1);

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final int SWEEP_MAX = 200;
  private static final String LOST = "LOST";

  private final WaitingScripts scripts;
  private final Admitter admitter;
  private final Raffle raffle;
  private final TicketTable tickets;
  private final PoolRegistry pools;
  private final PoolSeeder seeder;
  private final Leases leases;
  private final String self;
  private final PeriodicTask task;
  private final Map<PoolName, Long> dueAt = new ConcurrentHashMap<>();
  private final Map<PoolName, Long> waiting = new ConcurrentHashMap<>();

  AdmissionTask(
      WaitingScripts scripts,
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
    this.admitter = admitter;
    this.raffle = raffle;
    this.tickets = tickets;
    this.pools = pools;
    this.seeder = seeder;
    this.leases = leases;
    this.self = instance.name();
    this.task = tasks.selfPaced("admissions", this::work);
    Gauge.builder("holdfast.queue.depth", waiting, all -> sum(all))
        .tag("queue", "waiting-room")
        .description("Tickets that wait in the waiting rooms, as this instance last saw them")
        .register(meters);
  }

  private static double sum(Map<PoolName, Long> waiting) {
    return waiting.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// Somebody joined here.
  void joined(PoolName pool) {
    if (waiting.getOrDefault(pool, 0L) == 0) {
      waiting.put(pool, 1L);
      dueAt.remove(pool);
      task.wake();
    }
  }

  private Duration work() {
    var pause = PAUSE_IDLE;
    for (var pool : pools.withWaitingRooms()) {
      var now = System.nanoTime();
      var left = dueAt.getOrDefault(pool.name(), now) - now;
      if (left <= 0) {
        var next = turn(pool);
        dueAt.put(pool.name(), System.nanoTime() + next.toNanos());
        left = next.toNanos();
      }
      pause = left < pause.toNanos() ? Duration.ofNanos(left) : pause;
    }
    return pause;
  }

  /// Returns the pause before the room is looked at again.
  private Duration turn(Pool pool) {
    var name = pool.name();
    var swept = scripts.sweep(name, SWEEP_MAX);
    var head = swept == null ? null : scripts.head(name, 0);
    if (head == null) {
      openIfNeeded(pool);
      return PAUSE_OTHER;
    }
    waiting.put(name, head.waiting());
    if (head.waiting() == 0 && head.inside() == 0) {
      return PAUSE_IDLE;
    }
    if (head.waiting() == 0) {
      return PAUSE_OTHER;
    }
    if (!leases.take("admission-" + name, self, LEASE)) {
      return PAUSE_OTHER;
    }
    raffle.drawIfDue(pool, head);
    return switch (admitter.admitByPolicy(pool)) {
      case Run.Admitted(_, var left) -> {
        waiting.put(name, left);
        yield PAUSE;
      }
      case Run.Overtaken() -> PAUSE;
      case Run.NotOpen() -> PAUSE_OTHER;
    };
  }

  /// A lost pool without waiting tickets waits for its first use.
  private void openIfNeeded(Pool pool) {
    if (!tickets.waiting(pool.name(), 0, 1).isEmpty()) {
      ScriptReplies.await(seeder.open(pool, LOST));
    }
  }
}
