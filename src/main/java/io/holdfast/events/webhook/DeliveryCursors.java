package io.holdfast.events.webhook;

import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// How far each webhook has been told of each pool. A lane moves together with the log of the tries
/// that moved it, and only from where whoever moves it has found it; so neither a second owner nor
/// a replay that came in between is undone.
@Singleton
final class DeliveryCursors {
  /// More wait for the next look.
  static final int DUE_MAX = 1_000;

  private static final String DUE =
      """
      SELECT w.id, h.pool
        FROM webhook w
             CROSS JOIN event_head h
             LEFT JOIN webhook_lane l ON l.webhook_id = w.id AND l.pool = h.pool
       WHERE w.id = ANY (?)
         AND h.seq > coalesce(l.seq, 0)
         AND (l.due_at IS NULL OR l.due_at <= clock_timestamp())
       LIMIT ?
      """;

  /// What was told stays told. A try in vain counts only if no replay has come in between.
  private static final String MOVE =
      """
      INSERT INTO webhook_lane AS old (webhook_id, pool, seq, failures, due_at)
      VALUES (?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')
          ON CONFLICT (webhook_id, pool) DO UPDATE
             SET seq = EXCLUDED.seq, failures = EXCLUDED.failures, due_at = EXCLUDED.due_at
           WHERE old.seq = ? AND (old.failures = ? OR EXCLUDED.seq > old.seq)
      """;

  /// Forwards or back, wherever it stands.
  private static final String SET =
      """
      INSERT INTO webhook_lane (webhook_id, pool, seq) VALUES (?, ?, ?)
          ON CONFLICT (webhook_id, pool) DO UPDATE
             SET seq = EXCLUDED.seq, failures = 0, due_at = clock_timestamp()
      """;

  private final Transactions transactions;

  DeliveryCursors(Transactions transactions) {
    this.transactions = transactions;
  }

  record Lane(long webhookId, String pool) {}

  /// @param sequence of the last event that was told
  /// @param failures how often the next one was tried in vain
  record Position(long sequence, int failures) {}

  List<Lane> due(Collection<Long> webhooks) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(DUE)) {
            select.setArray(1, connection.createArrayOf("bigint", webhooks.toArray()));
            select.setInt(2, DUE_MAX);
            var due = new ArrayList<Lane>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                due.add(new Lane(rows.getLong(1), rows.getString(2)));
              }
            }
            return due;
          }
        });
  }

  /// @param isDue whether it may be told; it may have been told, and put off, since it was listed
  /// @param now what time it is for Postgres
  record Found(Position position, boolean isDue, Instant now) {}

  Found find(Lane lane) {
    var sql =
        """
        SELECT coalesce(seq, 0), coalesce(failures, 0),
               coalesce(due_at <= clock_timestamp(), true), clock_timestamp() AS now
          FROM (SELECT ?::bigint AS webhook_id, ?::text AS pool) given
               LEFT JOIN webhook_lane USING (webhook_id, pool)
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setLong(1, lane.webhookId);
            select.setString(2, lane.pool);
            try (var rows = select.executeQuery()) {
              rows.next();
              return new Found(
                  new Position(rows.getLong(1), rows.getInt(2)),
                  rows.getBoolean(3),
                  Columns.moment(rows, "now"));
            }
          }
        });
  }

  /// Whether it has moved; the tries are logged in any case.
  ///
  /// @param pause until it is tried again, or nothing
  boolean move(Lane lane, Position from, Position to, Duration pause, List<DeliveryAttempt> tries) {
    return transactions.write(
        connection -> {
          DeliveryLog.insert(connection, tries);
          try (var move = connection.prepareStatement(MOVE)) {
            move.setLong(1, lane.webhookId);
            move.setString(2, lane.pool);
            move.setLong(3, to.sequence);
            move.setInt(4, to.failures);
            move.setLong(5, pause.toMillis());
            move.setLong(6, from.sequence);
            move.setInt(7, from.failures);
            return move.executeUpdate() == 1;
          }
        });
  }

  static void set(Connection connection, Lane lane, long sequence) throws SQLException {
    try (var set = connection.prepareStatement(SET)) {
      set.setLong(1, lane.webhookId);
      set.setString(2, lane.pool);
      set.setLong(3, sequence);
      set.executeUpdate();
    }
  }

  /// What stopped is tried again at once, where it stopped.
  static void hurry(Connection connection, long webhookId) throws SQLException {
    var sql =
        """
        UPDATE webhook_lane SET failures = 0, due_at = clock_timestamp()
         WHERE webhook_id = ? AND failures > 0
        """;
    try (var update = connection.prepareStatement(sql)) {
      update.setLong(1, webhookId);
      update.executeUpdate();
    }
  }

  /// The number of the last event of a pool, if it has any.
  static Optional<Long> head(Connection connection, String pool) throws SQLException {
    try (var select = connection.prepareStatement("SELECT seq FROM event_head WHERE pool = ?")) {
      select.setString(1, pool);
      try (var rows = select.executeQuery()) {
        return rows.next() ? Optional.of(rows.getLong(1)) : Optional.empty();
      }
    }
  }
}
