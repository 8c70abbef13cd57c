package io.holdfast.postgres;

import jakarta.inject.Singleton;
import java.time.Instant;

/// Postgres' clock, which decides when a hold can no longer be sold.
@Singleton
public final class PostgresClock {
  private final Transactions transactions;

  PostgresClock(Transactions transactions) {
    this.transactions = transactions;
  }

  public Instant now() {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement("SELECT clock_timestamp() AS now");
              var row = select.executeQuery()) {
            row.next();
            return ArrayBinder.moment(row, "now");
          }
        });
  }
}
