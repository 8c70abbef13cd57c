package io.holdfast.journal.store;

import io.holdfast.postgres.Migrations;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates the journal partitions of the coming months, at the start and once a day. If that fails
/// for months, the lines go to the default partition.
@Singleton
@Order(Migrations.FIRST + 2)
final class JournalPartitions implements StartupTask {
  static final int MONTHS_AHEAD = 2;

  private static final Logger LOG = LoggerFactory.getLogger(JournalPartitions.class);
  private static final Duration DAY = Duration.ofDays(1);

  private final Transactions transactions;
  private final PeriodicTasks tasks;

  JournalPartitions(Transactions transactions, PeriodicTasks tasks) {
    this.transactions = transactions;
    this.tasks = tasks;
  }

  @Override
  public void atStart() {
    tasks.every("journal-partitions", DAY, this::createAhead).startAfterRun();
  }

  private void createAhead() {
    var created = create(MONTHS_AHEAD);
    if (created > 0) {
      LOG.info("Created {} partitions of the journal ahead of time", created);
    }
  }

  /// Returns the number of new partitions.
  int create(int monthsAhead) {
    return transactions.write(
        connection -> {
          try (var call = connection.prepareStatement("SELECT journal_partitions(?)")) {
            call.setInt(1, monthsAhead);
            try (var rows = call.executeQuery()) {
              rows.next();
              return rows.getInt(1);
            }
          }
        });
  }
}
