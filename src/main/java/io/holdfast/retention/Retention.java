package io.holdfast.retention;

import io.holdfast.postgres.Leases;
import io.holdfast.retention.RetentionTable.Kind;
import io.holdfast.retention.RetentionTable.Partition;
import io.holdfast.retention.RetentionTable.Position;
import io.holdfast.runtime.FailureLog;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Drops old partitions of the journal, which moves the horizon, and then the ended holds,
/// attempts, events and counts of replays from before it. Every step is a transaction of its own:
/// after a crash another run continues, and two instances at once drop each row once. A table is
/// walked through once for each horizon; what was needed then is looked at again with the next one,
/// a month later.
@Singleton
final class Retention implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
  private static final Duration PERIOD = Duration.ofMinutes(10);

  /// A run ends by itself within half of the lease.
  private static final Duration LEASE_FOR = PERIOD.multipliedBy(2);

  private static final Duration RUN_MAX = PERIOD.dividedBy(2);
  private static final int ROWS_A_STEP = 2_000;
  private static final int PARTITIONS_A_RUN = 24;

  private final RetentionTable table;
  private final RetentionSettings settings;
  private final Leases leases;
  private final InstanceId instance;
  private final PeriodicTask task;
  private final MeterRegistry meters;
  private final Map<Kind, Walk> walks = new EnumMap<>(Kind.class);
  private final FailureLog needed =
      new FailureLog(
          LOG,
          "A partition of the journal is old enough to be dropped, but still needed",
          "Old partitions of the journal are dropped again");
  private volatile double oldestSeconds;

  Retention(
      RetentionTable table,
      RetentionSettings settings,
      Leases leases,
      InstanceId instance,
      PeriodicTasks tasks,
      MeterRegistry meters) {
    this.table = table;
    this.settings = settings;
    this.leases = leases;
    this.instance = instance;
    this.meters = meters;
    this.task = tasks.every("retention", PERIOD, this::run);
    count("journal_partitions", 0);
    for (var kind : Kind.values()) {
      count(word(kind), 0);
    }
    Gauge.builder("holdfast.retention.oldest.seconds", () -> oldestSeconds)
        .description("Age of the month with which the journal in Postgres begins")
        .register(meters);
  }

  /// How far a table was walked through for a horizon.
  private static final class Walk {
    private final Instant since;
    private @Nullable Position next = Position.START;

    Walk(Instant since) {
      this.since = since;
    }
  }

  @Override
  public void atStart() {
    task.start();
  }

  void run() {
    if (!leases.take("retention", instance.name(), LEASE_FOR)) {
      return;
    }
    var deadline = System.nanoTime() + RUN_MAX.toNanos();
    var partitions = new ArrayList<Partition>();
    try {
      dropPartitions(partitions);
    } finally { // the horizon stays where it is, and rows from before it can go
      dropRows(partitions, deadline);
    }
  }

  private void dropRows(List<Partition> partitions, long deadline) {
    var horizon = table.horizon();
    oldestSeconds = horizon.age().toSeconds();
    var since = horizon.since();
    if (since != null) {
      report(partitions, since, dropRows(since, deadline));
    }
  }

  private void dropPartitions(List<Partition> dropped) {
    while (dropped.size() < PARTITIONS_A_RUN && !task.isStopping()) {
      var oldest = table.dropOldestPartition(settings.journalKeep());
      if (oldest.isPresent() && oldest.get().neededBy() != null) {
        var reason = oldest.get().name() + ": " + oldest.get().neededBy();
        needed.failed("journal", new IllegalStateException(reason));
        break;
      }
      needed.succeeded("journal");
      if (oldest.isEmpty()) {
        break;
      }
      dropped.add(oldest.get());
      count("journal_partitions", 1);
    }
  }

  private Map<Kind, Long> dropRows(Instant since, long deadline) {
    var dropped = new EnumMap<Kind, Long>(Kind.class);
    for (var kind : Kind.values()) {
      dropped.put(kind, dropRows(kind, since, deadline));
    }
    return dropped;
  }

  private long dropRows(Kind kind, Instant since, long deadline) {
    var walk = walks.get(kind);
    if (walk == null || !walk.since.equals(since)) {
      walk = new Walk(since);
      walks.put(kind, walk);
    }
    var dropped = 0L;
    while (walk.next != null && System.nanoTime() - deadline < 0 && !task.isStopping()) {
      var step = table.drop(kind, walk.next, ROWS_A_STEP);
      walk.next = step.next();
      dropped += step.dropped();
      count(word(kind), step.dropped());
    }
    return dropped;
  }

  private void count(String records, long dropped) {
    meters.counter("holdfast.retention.dropped", "records", records).increment(dropped);
  }

  private static String word(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static void report(List<Partition> partitions, Instant since, Map<Kind, Long> rows) {
    if (!partitions.isEmpty() || rows.values().stream().anyMatch(count -> count > 0)) {
      LOG.info(
          "Records from before {} were dropped: journal partitions {}, {}",
          since,
          partitions.stream().map(p -> p.name() + " (" + p.bytes() + " bytes)").toList(),
          rows.entrySet().stream()
              .map(each -> each.getValue() + " " + word(each.getKey()))
              .collect(Collectors.joining(", ")));
    }
  }
}
