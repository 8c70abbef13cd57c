package io.holdfast.idempotency.store;

import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;

/// Deletes stored answers after their window, in batches. Instances skip the rows that another one
/// is deleting.
@Singleton
final class IdempotencyPurge implements StartupTask {
  private static final Duration PAUSE = Duration.ofMinutes(1);
  private static final int BATCH = 1_000;

  /// Of one run: 10,000 answers for each second of the pause.
  private static final int BATCHES_MAX = 600;

  private static final String DELETE =
      """
      DELETE FROM request_result WHERE ctid = ANY (ARRAY (
             SELECT ctid FROM request_result WHERE window_end <= clock_timestamp()
              ORDER BY window_end LIMIT ? FOR UPDATE SKIP LOCKED))
      """;

  private final Transactions transactions;
  private final PeriodicTask task;

  IdempotencyPurge(Transactions transactions, PeriodicTasks tasks) {
    this.transactions = transactions;
    this.task = tasks.every("idempotency-purge", PAUSE, this::purge);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// Returns how many answers were deleted.
  int purge() {
    var deleted = 0;
    for (var batches = 1; batches <= BATCHES_MAX; batches++) {
      var count = purgeBatch();
      deleted += count;
      if (count < BATCH || task.isStopping()) {
        break;
      }
    }
    return deleted;
  }

  private int purgeBatch() {
    return transactions.write(
        connection -> {
          try (var delete = connection.prepareStatement(DELETE)) {
            delete.setInt(1, BATCH);
            return delete.executeUpdate();
          }
        });
  }
}
