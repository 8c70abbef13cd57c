package io.holdfast.events.webhook;

import io.holdfast.postgres.ArrayBinder;
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

/// The position of each webhook in the events of each pool. A position is moved in the transaction
/// that logs the attempts, and only from the position that was read before; so neither a second
/// instance nor a replay in between is undone.
@Singleton
final class DeliveryCursors {
  /// Further lanes are found by the next query.
  static final int DUE_MAX = 1_000;

  private static final String DUE =
      """
      SELECT w.id, h.pool
        FROM webhook w
             CROSS JOIN event_head h
             LEFT JOIN webhook_lane l ON l.webhook_id = w.id AND l.pool = h.pool
       WHERE w.id = ANY (?)
         AND (w.pools = '{}' OR h.pool = ANY (w.pools))
         AND h.seq > coalesce(l.seq, 0)
         AND (l.due_at IS NULL OR l.due_at <= clock_timestamp())
       LIMIT ?
      """;

  /// A delivered event moves the position. A failure counts only if no replay came in between.
  private static final String MOVE =
      """
      INSERT INTO webhook_lane AS old (webhook_id, pool, seq, failures, due_at)
      VALUES (?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')
          ON CONFLICT (webhook_id, pool) DO UPDATE
             SET seq = EXCLUDED.seq, failures = EXCLUDED.failures, due_at = EXCLUDED.due_at
           WHERE old.seq = ? AND (old.failures = ? OR EXCLUDED.seq > old.seq)
      """;

  /// Sets the position unconditionally, forwards or back.
  private static final String SET =
      """
      INSERT INTO webhook_lane (webhook_id, pool, seq) VALUES (?, ?, ?)
          ON CONFLICT (webhook_id, pool) DO UPDATE
             SET seq = EXCLUDED.seq, failures = 0, due_at = clock_timestamp()
      """;

  private static final String START_AFTER_LAST_EVENTS =
      "INSERT INTO webhook_lane (webhook_id, pool, seq) SELECT ?, pool, seq FROM event_head";

  private final Transactions transactions;

  DeliveryCursors(Transactions transactions) {
    this.transactions = transactions;
  }

  /// One webhook and one pool. The events of a lane are delivered in order.
  record Lane(long webhookId, String pool) {}

  /// @param sequence of the last delivered event
  /// @param failures failed attempts of the next event
  record Position(long sequence, int failures) {}

  /// The lanes of these webhooks that have undelivered events and no pause.
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

  /// @param isDue false if another thread delivered and paused the lane since it was listed
  /// @param head the number of the last event of the pool; 0 if it has none
  /// @param now the time of the Postgres clock
  record Cursor(Position position, boolean isDue, long head, Instant now) {}

  Cursor find(Lane lane) {
    var sql =
        """
        SELECT coalesce(seq, 0), coalesce(failures, 0),
               coalesce(due_at <= clock_timestamp(), true),
               (SELECT coalesce(max(h.seq), 0) FROM event_head h WHERE h.pool = given.pool),
               clock_timestamp() AS now
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
              return new Cursor(
                  new Position(rows.getLong(1), rows.getInt(2)),
                  rows.getBoolean(3),
                  rows.getLong(4),
                  ArrayBinder.moment(rows, "now"));
            }
          }
        });
  }

  /// Returns whether the position was moved. The attempts are logged in any case.
  ///
  /// @param pause until the next attempt
  boolean move(
      Lane lane, Position from, Position to, Duration pause, List<DeliveryAttempt> attempts) {
    return transactions.write(
        connection -> {
          DeliveryLog.insert(connection, attempts);
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

  /// A new webhook gets no earlier events. Pools without events need no row: they start at 0.
  static void startAfterLastEvents(Connection connection, long webhookId) throws SQLException {
    try (var insert = connection.prepareStatement(START_AFTER_LAST_EVENTS)) {
      insert.setLong(1, webhookId);
      insert.executeUpdate();
    }
  }

  static void deleteAll(Connection connection, long webhookId) throws SQLException {
    try (var delete =
        connection.prepareStatement("DELETE FROM webhook_lane WHERE webhook_id = ?")) {
      delete.setLong(1, webhookId);
      delete.executeUpdate();
    }
  }

  /// Ends the pauses of failed lanes.
  static void retryNow(Connection connection, long webhookId) throws SQLException {
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

  /// The number of the last event of a pool; empty if it has none.
  static Optional<Long> head(Connection connection, String pool) throws SQLException {
    try (var select = connection.prepareStatement("SELECT seq FROM event_head WHERE pool = ?")) {
      select.setString(1, pool);
      try (var rows = select.executeQuery()) {
        return rows.next() ? Optional.of(rows.getLong(1)) : Optional.empty();
      }
    }
  }
}
