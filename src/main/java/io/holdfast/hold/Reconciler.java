package io.holdfast.hold;

import io.holdfast.AtStart;
import io.holdfast.audit.Finding;
import io.holdfast.audit.Witness;
import io.holdfast.commitment.ItemState;
import io.holdfast.commitment.ItemStates;
import io.holdfast.intent.IntentUnavailable;
import io.holdfast.pool.Pool;
import io.holdfast.postgres.Leases;
import io.holdfast.postgres.PostgresUnavailable;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares what Redis says of items with what Postgres says, all the time and a part at a time,
/// and puts Redis right, never the other way. A part is read first and compared a moment later,
/// when whatever was under way has been told: what still differs then is drift.
@Singleton
@Order(Sweeper.AFTER_MIGRATIONS)
final class Reconciler implements AtStart, Witness {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final int PART = 500;
  private static final int PARTS_AT_ONCE = 20;

  private final ItemStates states;
  private final PoolScripts scripts;
  private final Pools pools;
  private final Leases leases;
  private final TaskScheduler scheduler;
  private final Counter repaired;
  private final String self = "reconciler-" + UUID.randomUUID();
  private final Deque<Pool> left = new ArrayDeque<>();
  private int next;
  private List<Part> waiting = List.of();
  private long comparedInRound;
  private long driftOfRound;
  private volatile long compared;
  private volatile long drift;

  Reconciler(
      ItemStates states,
      PoolScripts scripts,
      Pools pools,
      Leases leases,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler,
      MeterRegistry meters) {
    this.states = states;
    this.scripts = scripts;
    this.pools = pools;
    this.leases = leases;
    this.scheduler = scheduler;
    this.repaired =
        Counter.builder("holdfast.drift.repaired")
            .description(
                "Items of which Redis said something else than Postgres, and was put right")
            .register(meters);
    Gauge.builder("holdfast.drift.items", this, reconciler -> reconciler.drift)
        .description("Items that differed in the last round over all pools")
        .register(meters);
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(PAUSE, PAUSE, this::turn);
  }

  /// One instance compares; the others have compared nothing.
  @Override
  public Finding testimony() {
    return new Finding(
        "DRIFT-REDIS",
        "Redis says of every item what Postgres says",
        compared,
        drift,
        "the last round of this instance over all pools, in which Redis was put right");
  }

  private record Part(Pool pool, List<ItemState> items) {}

  /// Whatever fails here is tried again; the one loop of its kind must go on.
  private void turn() {
    try {
      if (leases.take("reconcile", self, LEASE)) {
        waiting.forEach(this::compare);
        waiting = read();
      }
    } catch (PostgresUnavailable | IntentUnavailable e) {
      waiting = List.of();
      LOG.debug("the layers cannot be compared now", e);
    } catch (RuntimeException e) {
      waiting = List.of();
      LOG.error("The layers could not be compared; it is tried again", e);
    }
  }

  /// The next parts of this round over all pools, or the beginning of the next round.
  private List<Part> read() {
    if (left.isEmpty()) {
      compared = comparedInRound;
      drift = driftOfRound;
      comparedInRound = 0;
      driftOfRound = 0;
      left.addAll(pools.known());
    }
    var parts = new ArrayList<Part>();
    while (!left.isEmpty() && parts.size() < PARTS_AT_ONCE) {
      var items = states.page(left.getFirst().name(), next, PART);
      parts.add(new Part(left.getFirst(), comparable(items)));
      next += items.size();
      if (items.size() < PART) {
        left.removeFirst();
        next = 0;
      }
    }
    return parts;
  }

  /// Of a claim Redis need not know: what is claimed is pinned there.
  private static List<ItemState> comparable(List<ItemState> items) {
    return items.stream().filter(item -> item.status() != ItemState.Status.CLAIMED).toList();
  }

  private void compare(Part part) {
    var entries = Settlement.entries(part.items);
    var reply = Replies.of(scripts.compare(part.pool.name(), entries));
    if (!reply.getFirst().equals("COMPARED")) {
      return; // it is not in Redis, or is being brought there
    }
    comparedInRound += part.items.size();
    var found = Long.parseLong((String) reply.get(1));
    if (found > 0) {
      driftOfRound += found;
      repaired.increment(found);
      LOG.warn(
          "Redis said of {} items of pool {} what Postgres does not; they are put right",
          found,
          part.pool.name());
    }
  }
}
