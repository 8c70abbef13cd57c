package io.holdfast.seeding;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;

/// Records every epoch that was opened.
@Singleton
public final class EpochLog {
  private final Transactions transactions;

  public EpochLog(Transactions transactions) {
    this.transactions = transactions;
  }

  /// One opening of an epoch.
  ///
  /// @param cause why Redis had to be loaded again
  /// @param runId of the Redis server
  /// @param drained the last line of the journal that had reached Postgres
  /// @param restored number of holds that were restored
  /// @param lost number of holds that were not
  public record Opening(
      PoolName pool,
      Epoch epoch,
      String cause,
      String runId,
      JournalPosition drained,
      int restored,
      int lost) {}

  /// Records the opening and returns true, unless the pool has a newer epoch: then the epoch must
  /// not be opened. May be repeated.
  public boolean record(Opening opening) {
    var sql =
        """
        WITH current AS (
            SELECT pool, epoch FROM pool WHERE pool = ? AND epoch = ? FOR SHARE)
        INSERT INTO fence_epoch (pool, epoch, cause, run_id, stream_ms, stream_seq, restored, lost)
        SELECT pool, epoch, ?, ?, ?, ?, ?, ? FROM current
            ON CONFLICT (pool, epoch) DO NOTHING
        """;
    return transactions.write(
        connection -> {
          try (var insert = connection.prepareStatement(sql)) {
            insert.setString(1, opening.pool().value());
            insert.setLong(2, opening.epoch().value());
            insert.setString(3, opening.cause());
            insert.setString(4, opening.runId());
            insert.setLong(5, opening.drained().ms());
            insert.setLong(6, opening.drained().sequence());
            insert.setInt(7, opening.restored());
            insert.setInt(8, opening.lost());
            insert.executeUpdate();
          }
          return isCurrent(connection, opening);
        });
  }

  private static boolean isCurrent(Connection connection, Opening opening) throws SQLException {
    var sql =
        """
        SELECT 1 FROM pool JOIN fence_epoch USING (pool, epoch)
         WHERE pool = ? AND epoch = ? AND run_id = ?
           FOR SHARE OF pool
        """;
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, opening.pool().value());
      select.setLong(2, opening.epoch().value());
      select.setString(3, opening.runId());
      try (var rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }
}
