package io.holdfast.events.webhook;

import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
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
        FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[],
                    ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[])
          AS given (webhook_id, pool, seq, event_id, type, attempt, outcome, status, detail,
                    tried_ms, took_ms)
      """;

  private static final String PAGE =
      """
      SELECT * FROM webhook_delivery
       WHERE webhook_id = ? AND id < ?
       ORDER BY id DESC
       LIMIT ?
      """;

  /// Reads only the oldest rows: ids grow with time.
  private static final String PURGE =
      """
      DELETE FROM webhook_delivery
       WHERE id = ANY (ARRAY (
             SELECT id FROM (SELECT id, tried_at FROM webhook_delivery ORDER BY id LIMIT ?) oldest
              WHERE tried_at < clock_timestamp() - ? * interval '1 millisecond'))
      """;

  private final Transactions transactions;
  private final WebhookSettings settings;
  private final PeriodicTask purge;

  DeliveryLog(Transactions transactions, WebhookSettings settings, PeriodicTasks tasks) {
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
      new Columns<>(connection, insert, 1, attempts)
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
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(PAGE)) {
            select.setLong(1, webhookId);
            select.setLong(2, before == 0 ? Long.MAX_VALUE : before);
            select.setInt(3, limit);
            var attempts = new ArrayList<DeliveryAttempt>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                attempts.add(read(rows));
              }
            }
            return attempts;
          }
        });
  }

  private void purge() {
    for (var batch = 0; batch < PURGE_BATCHES_MAX && !purge.isStopping(); batch++) {
      if (deleteOld(settings.keepLog(), PURGE_BATCH) < PURGE_BATCH) {
        return;
      }
    }
  }

  /// Returns the number of deleted rows.
  private int deleteOld(Duration olderThan, int limit) {
    return transactions.write(
        connection -> {
          try (var delete = connection.prepareStatement(PURGE)) {
            delete.setInt(1, limit);
            delete.setLong(2, olderThan.toMillis());
            return delete.executeUpdate();
          }
        });
  }

  private static DeliveryAttempt read(ResultSet row) throws SQLException {
    var status = row.getInt("status");
    return new DeliveryAttempt(
        row.getLong("id"),
        row.getLong("webhook_id"),
        row.getString("pool"),
        row.getLong("seq"),
        row.getLong("event_id"),
        row.getString("type"),
        row.getInt("attempt"),
        DeliveryAttempt.Outcome.valueOf(row.getString("outcome")),
        status == 0 ? null : (Integer) status,
        row.getString("detail"),
        Columns.moment(row, "tried_at"),
        row.getLong("took_ms"));
  }
}
