package io.holdfast.retention;

import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Calls the functions that drop old records. What may be dropped is decided in Postgres: the
/// service has no right to delete anything else.
@Singleton
final class RetentionTable {
  private final Transactions transactions;

  RetentionTable(Transactions transactions) {
    this.transactions = transactions;
  }

  /// What is dropped row by row, each by a walk through its table in the order of its key. Events
  /// go before holds: the key of a person goes with the last hold, unless there is an event.
  enum Kind {
    EVENTS("SELECT * FROM drop_events(?, ?, ?)"),
    ATTEMPTS("SELECT * FROM drop_attempts(?, ?, ?)"),
    REPLAYS("SELECT * FROM drop_replays(?, ?, ?)"),
    HOLDS("SELECT * FROM drop_ended_holds(?, ?, ?)");

    private final String sql;

    Kind(String sql) {
      this.sql = sql;
    }
  }

  /// A partition of the journal that is old enough.
  ///
  /// @param neededBy why it was not dropped; null if it was
  record Partition(String name, Instant before, long bytes, @Nullable String neededBy) {}

  /// Empty if no partition is old enough.
  Optional<Partition> dropOldestPartition(Duration keep) {
    var sql = "SELECT * FROM drop_oldest_journal(? * interval '1 second')";
    return transactions.write(
        connection -> {
          try (var call = connection.prepareStatement(sql)) {
            call.setLong(1, keep.toSeconds());
            try (var row = call.executeQuery()) {
              return row.next()
                  ? Optional.of(
                      new Partition(
                          row.getString("partition"),
                          ArrayBinder.moment(row, "before"),
                          row.getLong("bytes"),
                          row.getString("needed_by")))
                  : Optional.empty();
            }
          }
        });
  }

  /// A row in the order of a table's key. The first one stands before all rows.
  record Position(String pool, long number) {
    static final Position START = new Position("", 0);
  }

  /// @param next where to continue; null at the end of the table
  record Step(@Nullable Position next, long dropped) {}

  /// Looks at the next rows, and drops those that are older than the horizon and not needed.
  Step drop(Kind kind, Position after, int rowsMax) {
    return transactions.write(
        connection -> {
          try (var call = connection.prepareStatement(kind.sql)) {
            call.setString(1, after.pool);
            call.setLong(2, after.number);
            call.setInt(3, rowsMax);
            try (var row = call.executeQuery()) {
              row.next();
              var pool = row.getString("last_pool");
              var next = pool == null ? null : new Position(pool, row.getLong("last_number"));
              return new Step(next, row.getLong("dropped"));
            }
          }
        });
  }

  /// @param since the records are complete from here on; null if none was ever dropped
  /// @param age of the begin of the oldest partition
  record Horizon(@Nullable Instant since, Duration age) {}

  Horizon horizon() {
    var sql =
        """
        SELECT nullif(records_since(), '-infinity') AS since,
               (SELECT coalesce(extract(epoch FROM now() - min(begins)), 0)::bigint
                  FROM journal_partition) AS age_s
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql);
              var row = select.executeQuery()) {
            row.next();
            return new Horizon(
                row.getObject("since") == null ? null : ArrayBinder.moment(row, "since"),
                Duration.ofSeconds(row.getLong("age_s")));
          }
        });
  }
}
