package io.holdfast.idempotency.store;

import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;

/// Deletes stored answers after their window, a bounded number at a time. Instances skip the rows
/// that another one is deleting.
@Singleton
final class IdempotencyPurge implements StartupTask {
  private static final Duration PAUSE = Duration.ofMinutes(1);
  private static final int BATCH = 1_000;

  private static final String DELETE =
      """
      DELETE FROM request_result WHERE ctid = ANY (ARRAY (
             SELECT ctid FROM request_result WHERE window_end <= clock_timestamp()
              ORDER BY window_end LIMIT ? FOR UPDATE SKIP LOCKED))
      """;

  private final Transactions transactions;
  private final PeriodicTasks tasks;

  IdempotencyPurge(Transactions transactions, PeriodicTasks tasks) {
    this.transactions = transactions;
    this.tasks = tasks;
  }

  @Override
  public void atStart() {
    tasks.every("idempotency-purge", PAUSE, this::purge).start();
  }

  /// Returns how many answers were deleted.
  int purge() {
    return transactions.write(
        connection -> {
          try (var delete = connection.prepareStatement(DELETE)) {
            delete.setInt(1, BATCH);
            return delete.executeUpdate();
          }
        });
  }
}
