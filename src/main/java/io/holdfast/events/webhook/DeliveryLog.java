package io.holdfast.events.webhook;

import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/// The log of all delivery attempts. Old attempts are deleted in batches, by every instance.
@Singleton
final class DeliveryLog implements StartupTask {
  private static final Duration PURGE_PERIOD = Duration.ofSeconds(10);
  private static final int PURGE_BATCH = 5_000;
  private static final int PURGE_BATCHES_MAX = 20;

  private static final String INSERT =
      """
      INSERT INTO webhook_delivery (webhook_id, pool, seq, event_id, type, attempt, outcome, status,
                                    detail, tried_at, took_ms)
      SELECT webhook_id, pool, seq, event_id, type, attempt, outcome, status, detail,
             to_timestamp(tried_ms::float8 / 1000), took_ms
        FROM (SELECT unnest(?::bigint[]) AS webhook_id, unnest(?::text[]) AS pool,
                     unnest(?::bigint[]) AS seq, unnest(?::bigint[]) AS event_id,
                     unnest(?::text[]) AS type, unnest(?::bigint[]) AS attempt,
                     unnest(?::text[]) AS outcome, unnest(?::bigint[]) AS status,
                     unnest(?::text[]) AS detail, unnest(?::bigint[]) AS tried_ms,
                     unnest(?::bigint[]) AS took_ms) AS given
      """;

  private final DeliveryAttempts attempts;
  private final Transactions transactions;
  private final WebhookSettings settings;
  private final PeriodicTask purge;

  DeliveryLog(
      DeliveryAttempts attempts,
      Transactions transactions,
      WebhookSettings settings,
      PeriodicTasks tasks) {
    this.attempts = attempts;
    this.transactions = transactions;
    this.settings = settings;
    this.purge = tasks.every("delivery-log-purge", PURGE_PERIOD, this::purge);
  }

  @Override
  public void atStart() {
    purge.start();
  }

  static void insert(Connection connection, List<DeliveryAttempt> attempts) throws SQLException {
    if (attempts.isEmpty()) {
      return;
    }
    try (var insert = connection.prepareStatement(INSERT)) {
      new ArrayBinder<>(insert, 1, attempts)
          .number(DeliveryAttempt::webhookId)
          .text(DeliveryAttempt::pool)
          .number(DeliveryAttempt::sequence)
          .number(DeliveryAttempt::eventId)
          .text(DeliveryAttempt::type)
          .number(each -> (long) each.attempt())
          .text(each -> each.outcome().name())
          .number(each -> each.status() == null ? null : each.status().longValue())
          .text(DeliveryAttempt::detail)
          .moment(DeliveryAttempt::triedAt)
          .number(DeliveryAttempt::tookMs);
      insert.executeUpdate();
    }
  }

  /// Newest first.
  ///
  /// @param before the id of the last attempt of the previous page, or 0
  List<DeliveryAttempt> page(long webhookId, long before, int limit) {
    return attempts.page(webhookId, before == 0 ? Long.MAX_VALUE : before, limit);
  }

  private void purge() {
    var ageMs = settings.keepLog().toMillis();
    for (var batch = 0; batch < PURGE_BATCHES_MAX && !purge.isStopping(); batch++) {
      var deleted = transactions.write(_ -> attempts.deleteOlderThan(ageMs, PURGE_BATCH));
      if (deleted < PURGE_BATCH) {
        return;
      }
    }
  }
}
