package io.holdfast.journal.store;

import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Reads and purges the token outcomes in Postgres. Each is kept for its window.
@Singleton
public final class TokenRows {
  private final Transactions transactions;

  public TokenRows(Transactions transactions) {
    this.transactions = transactions;
  }

  /// Identifies one token of one caller.
  ///
  /// @param token one char a byte
  public record Key(String caller, String token) {
    /// Sorts before every other key.
    public static final Key FIRST = new Key("", "");
  }

  /// Returns entries whose window has not elapsed, for seeding Redis.
  ///
  /// @param after the last key of the previous chunk, or `FIRST`
  public List<TokenEntry> inWindow(PoolName pool, Key after, int limit) {
    var sql =
        """
        SELECT * FROM token_result
         WHERE pool = ?
           AND (caller, token) > (?, ?)
           AND window_until > clock_timestamp()
         ORDER BY caller, token
         LIMIT ?
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, pool.value());
            select.setString(2, after.caller());
            select.setBytes(3, ArrayBinder.bytes(after.token()));
            select.setInt(4, limit);
            return entries(select);
          }
        });
  }

  /// Deletes at most `limit` entries whose window has elapsed. Returns their number.
  ///
  /// @param margin how long an entry outlives its window: Redis sets the window and Postgres checks
  ///   it here, and their clocks may differ
  public int purge(Duration margin, int limit) {
    var sql =
        """
        DELETE FROM token_result
         WHERE ctid = ANY (ARRAY (
               SELECT ctid FROM token_result
                WHERE window_until < statement_timestamp() - ? * interval '1 millisecond'
                ORDER BY window_until
                LIMIT ?
                  FOR UPDATE SKIP LOCKED))
        """;
    return transactions.write(
        connection -> {
          Plans.byIndex(connection);
          try (var delete = connection.prepareStatement(sql)) {
            delete.setLong(1, margin.toMillis());
            delete.setInt(2, limit);
            return delete.executeUpdate();
          }
        });
  }

  /// Returns how long ago the oldest window elapsed; zero if none has.
  public Duration overdue() {
    var sql =
        """
        SELECT coalesce(extract(epoch FROM clock_timestamp() - min(window_until)) * 1000, 0)::bigint
          FROM token_result
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql);
              var row = select.executeQuery()) {
            row.next();
            return Duration.ofMillis(Math.max(0, row.getLong(1)));
          }
        });
  }

  static List<TokenEntry> entries(PreparedStatement select) throws SQLException {
    var entries = new ArrayList<TokenEntry>();
    try (var row = select.executeQuery()) {
      while (row.next()) {
        entries.add(
            new TokenEntry(
                row.getString("caller"),
                ArrayBinder.token(row, "token"),
                TokenAction.of(row.getString("action")),
                row.getString("digest_function") + ":" + row.getString("digest"),
                row.getString("outcome"),
                ArrayBinder.moment(row, "recorded_at"),
                ArrayBinder.moment(row, "window_until")));
      }
    }
    return entries;
  }
}
