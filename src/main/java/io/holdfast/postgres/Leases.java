package io.holdfast.postgres;

import jakarta.inject.Singleton;
import java.time.Duration;

/// Leases for work that only one instance should do. A lease only saves effort: a paused owner may
/// still believe in its lapsed lease, so the work must stay correct when two instances do it.
@Singleton
public final class Leases {
  private final Transactions transactions;

  Leases(Transactions transactions) {
    this.transactions = transactions;
  }

  /// Takes or extends the lease. Returns whether this instance has it for the given time. It is one
  /// statement without a transaction. While another instance has the lease, the statement locks and
  /// writes nothing.
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

  /// Returns the lease if this instance has it, so that another one need not wait for its end.
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
