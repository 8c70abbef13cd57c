package io.holdfast.postgres;

import jakarta.inject.Singleton;
import java.time.Duration;

/// Who does a piece of work that one instance is enough for. This saves effort and nothing else: an
/// owner that was paused may believe in its lease for a while longer, so the work itself has to
/// stay right when two do it.
@Singleton
public final class Leases {
  private final Transactions transactions;

  Leases(Transactions transactions) {
    this.transactions = transactions;
  }

  /// Takes the lease, or prolongs it: true if it is ours for this long from now on. One statement
  /// without a transaction around it. While another one has the lease nothing is locked or written,
  /// so asking costs a read.
  public boolean take(String name, String owner, Duration duration) {
    var sql =
        """
        INSERT INTO lease (name, owner, until)
        SELECT name, owner, clock_timestamp() + ms * interval '1 millisecond'
          FROM (VALUES (?::text, ?::text, ?::bigint)) AS given (name, owner, ms)
         WHERE NOT EXISTS (
               SELECT FROM lease
                WHERE lease.name = given.name AND lease.owner <> given.owner
                  AND lease.until >= clock_timestamp())
            ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, until = EXCLUDED.until
            WHERE lease.owner = EXCLUDED.owner OR lease.until < clock_timestamp()
        """;
    return transactions.read(
        connection -> {
          try (var upsert = connection.prepareStatement(sql)) {
            upsert.setString(1, name);
            upsert.setString(2, owner);
            upsert.setLong(3, duration.toMillis());
            return upsert.executeUpdate() == 1;
          }
        });
  }

  /// Gives the lease back, if it is ours, so that nobody has to wait for its end.
  public void giveBack(String name, String owner) {
    transactions.write(
        connection -> {
          var sql = "DELETE FROM lease WHERE name = ? AND owner = ?";
          try (var delete = connection.prepareStatement(sql)) {
            delete.setString(1, name);
            delete.setString(2, owner);
            return delete.executeUpdate();
          }
        });
  }
}
