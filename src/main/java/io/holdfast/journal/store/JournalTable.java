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

/// Where the journals of Redis end up, each line once and in order. The cursor of a pool moves in
/// the same transaction as the lines it passes, so neither a crash nor a second drainer can bring a
/// line twice or leave one out.
@Singleton
public final class JournalTable {
  /// Forbids sequential scans until the transaction ends. A plan that was made while a table was
  /// small would otherwise be kept while it grows. Every look-up here is by a full key.
  private static final String BY_INDEX = "SELECT " + Plans.BY_INDEX + ";\n";

  private final Transactions transactions;
  private final JournalBatchListener follower;

  public JournalTable(Transactions transactions, JournalBatchListener follower) {
    this.transactions = transactions;
    this.follower = follower;
  }

  /// How far the journal of a pool has been brought here.
  public JournalPosition cursor(PoolName pool) {
    return transactions.read(connection -> cursor(connection, pool));
  }

  /// The pools whose journals have been brought here beyond that moment of Redis' clock, each with
  /// the moment of its last line, the newest first.
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

  /// Stores the lines between two places of the journal, with the holds and tokens they speak of.
  ///
  /// @param epoch of the Redis that the lines were read from: what a superseded one says is refused
  /// @param from where the cursor must stand; `to`, where it will stand
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
            JournalBatch.insert(connection, pool, lines);
            var holds = HoldBatch.upsert(connection, pool, lines);
            TokenBatch.upsert(connection, pool, lines);
            follower.brought(connection, pool, lines, holds.written());
            return new Stored(lines.size(), holds.drift());
          });
    } catch (PostgresUnavailable e) {
      if (e.isDefinite()) {
        throw e;
      }
      return new Unknown();
    }
  }

  /// The share of the row is kept until the end: the epoch cannot rise in the middle of a batch.
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

  /// Whoever comes second waits here for the first, and then finds the cursor moved.
  private static boolean moveCursor(
      Connection connection, PoolName pool, JournalPosition from, JournalPosition to)
      throws SQLException {
    if (from.equals(JournalPosition.START)) {
      placeCursor(connection, pool);
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

  private static void placeCursor(Connection connection, PoolName pool) throws SQLException {
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

  /// The first result is that of the settings.
  private static ResultSet secondResult(PreparedStatement select) throws SQLException {
    select.execute();
    select.getMoreResults();
    return select.getResultSet();
  }
}
