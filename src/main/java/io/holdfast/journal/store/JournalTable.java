package io.holdfast.journal.store;

import io.holdfast.journal.store.JournalStoreOutcome.Behind;
import io.holdfast.journal.store.JournalStoreOutcome.Stored;
import io.holdfast.journal.store.JournalStoreOutcome.Superseded;
import io.holdfast.journal.store.JournalStoreOutcome.Unknown;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Stores the journals of Redis, each line once and in order. The cursor of a pool moves in the
/// transaction that stores the lines, so neither a crash nor a second drainer can store a line
/// twice or skip one.
@Singleton
public final class JournalTable {
  /// Forbids sequential scans until the transaction ends. Otherwise a plan made while a table was
  /// small would be kept while it grows. Every query here is by a full key.
  private static final String BY_INDEX = "SELECT " + Plans.BY_INDEX + ";\n";

  private final Transactions transactions;
  private final JournalBatchListener listener;

  public JournalTable(Transactions transactions, JournalBatchListener listener) {
    this.transactions = transactions;
    this.listener = listener;
  }

  /// The position of the last stored line of a pool.
  public JournalPosition cursor(PoolName pool) {
    return transactions.read(connection -> cursor(connection, pool));
  }

  /// Returns the pools with stored lines after this time of the Redis clock, each with the time of
  /// its last line, newest first.
  public Map<PoolName, Long> writtenAfter(long ms, int limit) {
    var sql =
        """
        SELECT pool, stream_ms FROM journal_cursor
         WHERE stream_ms > ?
         ORDER BY stream_ms DESC
         LIMIT ?
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setLong(1, ms);
            select.setInt(2, limit);
            var pools = new LinkedHashMap<PoolName, Long>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                pools.put(new PoolName(rows.getString(1)), rows.getLong(2));
              }
            }
            return pools;
          }
        });
  }

  /// Stores the lines between two positions of the journal, with their holds, tickets and tokens.
  ///
  /// @param epoch of the lines; lines of a superseded epoch are refused
  /// @param from the expected position of the cursor; `to`, its new position
  public JournalStoreOutcome store(
      PoolName pool,
      Epoch epoch,
      JournalPosition from,
      JournalPosition to,
      List<JournalLine> lines) {
    try {
      return transactions.write(
          connection -> {
            if (!isCurrent(connection, pool, epoch)) {
              connection.rollback();
              return new Superseded();
            }
            if (!moveCursor(connection, pool, from, to)) {
              connection.rollback();
              return new Behind(cursor(connection, pool));
            }
            var pseudonyms = Pseudonyms.of(connection, lines);
            JournalBatch.insert(connection, pool, lines, pseudonyms);
            var holds = HoldBatch.upsert(connection, pool, lines, pseudonyms);
            TicketBatch.upsert(connection, pool, lines);
            TokenBatch.upsert(connection, pool, lines);
            listener.onBatch(connection, pool, lines, holds.written());
            return new Stored(lines.size(), holds.drift());
          });
    } catch (PostgresUnavailable e) {
      if (e.isDefinite()) {
        throw e;
      }
      return new Unknown();
    }
  }

  /// Locks the row FOR SHARE, so that the epoch cannot rise before the commit.
  private static boolean isCurrent(Connection connection, PoolName pool, Epoch epoch)
      throws SQLException {
    var sql = BY_INDEX + "SELECT 1 FROM pool WHERE pool = ? AND epoch = ? FOR SHARE";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      select.setLong(2, epoch.value());
      try (var rows = secondResult(select)) {
        return rows.next();
      }
    }
  }

  /// A second drainer waits here for the row lock of the first, and then finds the cursor moved.
  private static boolean moveCursor(
      Connection connection, PoolName pool, JournalPosition from, JournalPosition to)
      throws SQLException {
    if (from.equals(JournalPosition.START)) {
      insertCursor(connection, pool);
    }
    var sql =
        """
        UPDATE journal_cursor SET stream_ms = ?, stream_seq = ?
         WHERE pool = ? AND stream_ms = ? AND stream_seq = ?
        """;
    try (var update = connection.prepareStatement(sql)) {
      update.setLong(1, to.ms());
      update.setLong(2, to.sequence());
      update.setString(3, pool.value());
      update.setLong(4, from.ms());
      update.setLong(5, from.sequence());
      return update.executeUpdate() == 1;
    }
  }

  private static void insertCursor(Connection connection, PoolName pool) throws SQLException {
    var sql = "INSERT INTO journal_cursor VALUES (?, 0, 0) ON CONFLICT (pool) DO NOTHING";
    try (var insert = connection.prepareStatement(sql)) {
      insert.setString(1, pool.value());
      insert.executeUpdate();
    }
  }

  private static JournalPosition cursor(Connection connection, PoolName pool) throws SQLException {
    var sql = BY_INDEX + "SELECT stream_ms, stream_seq FROM journal_cursor WHERE pool = ?";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      try (var rows = secondResult(select)) {
        return rows.next()
            ? new JournalPosition(rows.getLong(1), rows.getLong(2))
            : JournalPosition.START;
      }
    }
  }

  /// Skips the result of the settings.
  private static ResultSet secondResult(PreparedStatement select) throws SQLException {
    select.execute();
    select.getMoreResults();
    return select.getResultSet();
  }
}
