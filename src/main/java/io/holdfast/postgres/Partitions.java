package io.holdfast.postgres;

import io.holdfast.AtStart;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes the journal's partitions of the months to come, at the start and once a day. Should that
/// fail for months, the lines go to the partition for all others: nothing is lost by it.
@Singleton
@Order(Migrations.FIRST + 2)
final class Partitions implements AtStart {
  static final int MONTHS_AHEAD = 2;

  private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);
  private static final Duration DAY = Duration.ofDays(1);

  private final Transactions transactions;
  private final TaskScheduler scheduler;

  Partitions(Transactions transactions, @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.transactions = transactions;
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    makeAhead();
    scheduler.scheduleWithFixedDelay(DAY, DAY, this::makeAhead);
  }

  private void makeAhead() {
    try {
      var made = make(MONTHS_AHEAD);
      if (made > 0) {
        LOG.info("Partitions of the journal made ahead: {}", made);
      }
    } catch (PostgresUnavailable e) {
      LOG.warn("No partitions of the journal were made ahead, trying again in a day", e);
    }
  }

  /// Returns how many were new.
  int make(int monthsAhead) {
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
