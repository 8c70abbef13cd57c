package io.holdfast.journal;

import io.holdfast.AtStart;
import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.holdfast.pool.PoolName;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How much of the journals waits in Redis while Postgres is slow or away, and how much callers
/// have to be slowed down for it. Knows the pools that this instance uses, and asks after them once
/// a second; in between it answers from what it knows.
@Singleton
public final class Pressure implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(Pressure.class);
  private static final Script VITALS = Script.named("pool/vitals");
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration DELAY_MAX = Duration.ofMillis(250);
  private static final int IDLE_PERIODS_MAX = 600;

  /// Of more pools than this, some wait for another second.
  private static final int ASKED_AT_ONCE_MAX = 500;

  private final Scripts scripts;
  private final TaskScheduler scheduler;
  private final PressureMeters meters;
  private final int linesMax;
  private final Map<PoolName, Watched> pools = new ConcurrentHashMap<>();
  private final Troubles troubles =
      new Troubles(LOG, "The length of journals is not known", "The length of journals is known");
  private int period;

  Pressure(
      Scripts scripts,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler,
      PressureMeters meters,
      JournalSettings settings) {
    this.scripts = scripts;
    this.scheduler = scheduler;
    this.meters = meters;
    this.linesMax = settings.linesMax();
  }

  private static final class Watched {
    volatile boolean isUsed = true;
    volatile @Nullable Vitals vitals;
    int idlePeriods;
  }

  @Override
  public void atStart() {
    meters.show(this::vitals);
    scheduler.scheduleWithFixedDelay(PERIOD, PERIOD, this::ask);
  }

  /// How long a call has to wait before it is served: nothing as long as less than half of what may
  /// wait in the journal does, then more and more.
  public Duration delayFor(PoolName pool) {
    var half = linesMax / 2.0;
    var excess = Math.min(1, (backlog(pool) - half) / half);
    return excess <= 0 ? Duration.ZERO : Duration.ofNanos((long) (DELAY_MAX.toNanos() * excess));
  }

  /// Whether so much waits that calls have to be refused.
  public boolean isFull(PoolName pool) {
    return backlog(pool) >= linesMax;
  }

  /// Lines of the pool's journal that wait, as far as is known; whoever asks uses the pool.
  long backlog(PoolName pool) {
    var watched = pools.get(pool);
    if (watched == null) {
      watched = pools.computeIfAbsent(pool, _ -> new Watched());
    }
    if (!watched.isUsed) { // read first: a field that all threads write all the time is slow
      watched.isUsed = true;
    }
    var vitals = watched.vitals;
    return vitals == null ? 0 : vitals.lines();
  }

  /// Survives whatever happens: whoever schedules it would not call it again.
  void ask() {
    try {
      askSome();
      troubles.hasNot(this);
    } catch (RuntimeException e) {
      troubles.has(this, e);
    }
  }

  private void askSome() {
    var groups = 1 + pools.size() / ASKED_AT_ONCE_MAX;
    var group = period++ % groups;
    var index = 0;
    for (var pool : pools.entrySet()) {
      if (isForgotten(pool.getValue())) {
        pools.remove(pool.getKey());
      } else if (index++ % groups == group) {
        ask(pool.getKey(), pool.getValue());
      }
    }
  }

  /// A pool that Redis does not answer for keeps the vitals it had.
  private void ask(PoolName pool, Watched watched) {
    var keys = Stream.of("meta", "journal", "due").map(pool::key).toArray(String[]::new);
    scripts
        .call(VITALS, keys)
        .thenAccept(
            reply -> {
              watched.vitals = vitals(reply);
              meters.showEpoch(pool, () -> watched.vitals);
            });
  }

  private static @Nullable Vitals vitals(List<Object> reply) {
    return switch ((String) reply.getFirst()) {
      case "VITALS" -> Vitals.of(reply);
      case "UNSEEDED" -> null;
      default -> throw new IllegalStateException("pool/vitals answered " + reply);
    };
  }

  private static boolean isForgotten(Watched watched) {
    watched.idlePeriods = watched.isUsed ? 0 : watched.idlePeriods + 1;
    watched.isUsed = false;
    return watched.idlePeriods > IDLE_PERIODS_MAX;
  }

  Stream<Vitals> vitals() {
    return pools.values().stream().flatMap(watched -> Stream.ofNullable(watched.vitals));
  }
}
