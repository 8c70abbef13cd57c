package io.holdfast.idempotency.store;

import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;

/// Deletes answers whose window has elapsed, a bounded number at a time. Several instances may do
/// so at once: each leaves alone what another one holds.
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
    tasks.every("idempotency-purge", PAUSE, this::tidy).start();
  }

  /// Returns how many answers were deleted; what is left waits for the next time.
  int tidy() {
    return transactions.write(
        connection -> {
          try (var delete = connection.prepareStatement(DELETE)) {
            delete.setInt(1, BATCH);
            return delete.executeUpdate();
          }
        });
  }
}
