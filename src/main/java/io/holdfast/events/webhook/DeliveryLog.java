package io.holdfast.events.webhook;

import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Every try to tell a webhook of an event, for as long as the log is kept.
@Singleton
final class DeliveryLog {
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

  /// Looks at the oldest only: numbers grow with time.
  private static final String PURGE =
      """
      DELETE FROM webhook_delivery
       WHERE id = ANY (ARRAY (
             SELECT id FROM (SELECT id, tried_at FROM webhook_delivery ORDER BY id LIMIT ?) oldest
              WHERE tried_at < clock_timestamp() - ? * interval '1 millisecond'))
      """;

  private final Transactions transactions;

  DeliveryLog(Transactions transactions) {
    this.transactions = transactions;
  }

  static void insert(Connection connection, List<DeliveryAttempt> tries) throws SQLException {
    if (tries.isEmpty()) {
      return;
    }
    try (var insert = connection.prepareStatement(INSERT)) {
      new Columns<>(connection, insert, 1, tries)
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

  /// The newest first.
  ///
  /// @param before the number of the last one of the page before, or 0
  List<DeliveryAttempt> page(long webhookId, long before, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(PAGE)) {
            select.setLong(1, webhookId);
            select.setLong(2, before == 0 ? Long.MAX_VALUE : before);
            select.setInt(3, limit);
            var tries = new ArrayList<DeliveryAttempt>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                tries.add(read(rows));
              }
            }
            return tries;
          }
        });
  }

  /// Returns how many were deleted; what is left waits for the next time.
  int purge(Duration olderThan, int limit) {
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
