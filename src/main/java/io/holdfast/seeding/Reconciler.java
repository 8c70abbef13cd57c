package io.holdfast.seeding;

import io.holdfast.audit.AuditContributor;
import io.holdfast.audit.Finding;
import io.holdfast.commitment.ItemState;
import io.holdfast.commitment.ItemStateQuery;
import io.holdfast.commitment.ItemStateQuery.Entry;
import io.holdfast.journal.store.JournalTable;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Leases;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares the items in Redis with Postgres, a part at a time, and corrects Redis, never Postgres.
/// A part is read from Postgres first and compared a moment later, when running settles have ended:
/// what differs then is drift. Pools with new journal entries are compared soon. All others are
/// compared in an endless round, a few items per turn, so the load does not grow with the number of
/// pools.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class Reconciler implements StartupTask, AuditContributor {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration RENEWAL = LEASE.dividedBy(3);
  private static final int PART = 500;
  private static final int PARTS_PER_TURN = 20;

  /// Pools per turn of the round over all pools.
  private static final int ROUND_POOLS = 20;

  /// Limit of recently written pools; the round over all pools compares the others.
  private static final int ACTIVE_MAX = 200;

  private final ItemStateQuery states;
  private final PoolScripts scripts;
  private final JournalTable journal;
  private final Leases leases;
  private final PeriodicTasks tasks;
  private final Counter repaired;
  private final String self = "reconciler-" + UUID.randomUUID();
  private final Deque<PoolName> active = new ArrayDeque<>();
  private int lastOfActive = ItemStateQuery.BEFORE_FIRST;
  private long activeUntil = -1;
  private String pool = "";
  private int ordinal;
  private List<Part> waiting = List.of();
  private boolean isLeased;
  private long leasedAt;
  private long comparedInRound;
  private long driftOfRound;
  private volatile long compared;
  private volatile long drift;

  Reconciler(
      ItemStateQuery states,
      PoolScripts scripts,
      JournalTable journal,
      Leases leases,
      PeriodicTasks tasks,
      MeterRegistry meters) {
    this.states = states;
    this.scripts = scripts;
    this.journal = journal;
    this.leases = leases;
    this.tasks = tasks;
    this.repaired =
        Counter.builder("holdfast.drift.repaired")
            .description("Items that differed from Postgres in Redis and were corrected")
            .register(meters);
    Gauge.builder("holdfast.drift.items", this, reconciler -> reconciler.drift)
        .description("Items that differed in the last round over all pools")
        .register(meters);
  }

  @Override
  public void atStart() {
    tasks.selfPaced("reconcile", this::turn).start();
  }

  /// One instance compares; the report of the others is empty.
  @Override
  public Finding finding() {
    return Finding.of(
        "DRIFT-REDIS",
        "Redis agrees with Postgres on every item",
        compared,
        drift,
        "the last round of this instance over all pools; differences were corrected in Redis");
  }

  private record Part(PoolName pool, List<ItemState> items) {}

  /// Returns the pause before the next turn. After a failure the parts are too old to be compared
  /// and are read again.
  private Duration turn() {
    var parts = waiting;
    waiting = List.of();
    if (!hasLease()) {
      return RENEWAL;
    }
    parts.forEach(this::compare);
    waiting = new ArrayList<>(readActive());
    waiting.addAll(readRound());
    return PAUSE;
  }

  private boolean hasLease() {
    var now = System.nanoTime();
    if (!isLeased || now - leasedAt >= RENEWAL.toNanos()) {
      isLeased = false; // also if the next line fails
      isLeased = leases.take("reconcile", self, LEASE);
      leasedAt = now;
    }
    return isLeased;
  }

  /// Reads parts of the pools that were written to since the last time.
  private List<Part> readActive() {
    if (active.isEmpty()) {
      findActive();
    }
    var parts = new ArrayList<Part>();
    while (!active.isEmpty() && parts.size() < PARTS_PER_TURN) {
      var page = states.page(active.getFirst(), lastOfActive, PART);
      var items = page.stream().map(Entry::state).toList();
      parts.add(new Part(active.getFirst(), comparable(items)));
      if (page.size() < PART) {
        active.removeFirst();
        lastOfActive = ItemStateQuery.BEFORE_FIRST;
      } else {
        lastOfActive = page.getLast().ordinal();
      }
    }
    return parts;
  }

  /// Writes before the first turn of this instance are left to the round.
  private void findActive() {
    var isFirst = activeUntil < 0;
    var written = journal.writtenAfter(activeUntil, isFirst ? 1 : ACTIVE_MAX);
    activeUntil = written.values().stream().findFirst().orElse(Math.max(activeUntil, 0));
    if (!isFirst) {
      active.addAll(written.keySet());
    }
  }

  /// Reads the next items of the round over all pools.
  private List<Part> readRound() {
    var items = states.after(pool, ordinal, PART);
    var parts = new LinkedHashMap<PoolName, List<ItemState>>();
    for (var item : items) {
      if (parts.size() == ROUND_POOLS && !parts.containsKey(item.pool())) {
        return parts(parts);
      }
      parts.computeIfAbsent(item.pool(), _ -> new ArrayList<>()).add(item.state());
      pool = item.pool().value();
      ordinal = item.ordinal();
    }
    if (items.size() < PART) {
      endRound();
    }
    return parts(parts);
  }

  private void endRound() {
    pool = "";
    ordinal = 0;
    compared = comparedInRound;
    drift = driftOfRound;
    comparedInRound = 0;
    driftOfRound = 0;
  }

  private static List<Part> parts(Map<PoolName, List<ItemState>> items) {
    return items.entrySet().stream()
        .map(part -> new Part(part.getKey(), comparable(part.getValue())))
        .toList();
  }

  /// Redis may not know of a claim: a claimed hold is pinned there.
  private static List<ItemState> comparable(List<ItemState> items) {
    return items.stream().filter(item -> item.status() != ItemState.Status.CLAIMED).toList();
  }

  private void compare(Part part) {
    var entries = ItemEntries.of(part.items);
    var corrected = scripts.compare(part.pool, entries);
    if (corrected.isEmpty()) {
      return; // the pool is not open in Redis
    }
    comparedInRound += part.items.size();
    var found = corrected.getAsLong();
    if (found > 0) {
      driftOfRound += found;
      repaired.increment(found);
      LOG.warn(
          "{} items of pool {} differed from Postgres in Redis; they were corrected",
          found,
          part.pool);
    }
  }
}
