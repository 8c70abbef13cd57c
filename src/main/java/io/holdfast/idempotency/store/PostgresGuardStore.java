package io.holdfast.idempotency.store;

import io.holdfast.idempotency.guard.GuardEntry;
import io.holdfast.idempotency.guard.GuardRules;
import io.holdfast.idempotency.guard.GuardStore;
import io.holdfast.idempotency.guard.GuardStoreUnavailable;
import io.holdfast.idempotency.guard.GuardWindow;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Stores the identities of guards in Postgres: shared by all instances, and as durable as sales.
@Singleton
public final class PostgresGuardStore implements GuardStore {
  private static final int PURGE_MAX = 100;

  private static final String RECORD =
      """
      INSERT INTO guarded (guard, identity, recorded_at) VALUES (?, ?, ?)
          ON CONFLICT (guard, identity) DO UPDATE SET recorded_at = EXCLUDED.recorded_at
          WHERE guarded.recorded_at <= ?
      """;

  private static final String RECORDED_AT =
      "SELECT recorded_at FROM guarded WHERE guard = ? AND identity = ?";

  /// Skips rows that are being recorded at the moment.
  private static final String PURGE =
      """
      DELETE FROM guarded WHERE ctid = ANY (ARRAY (
             SELECT ctid FROM guarded WHERE guard = ? AND recorded_at <= ?
              ORDER BY recorded_at LIMIT ? FOR UPDATE SKIP LOCKED))
      """;

  private static final String UNDER_GUARD =
      """
      SELECT identity, recorded_at FROM guarded WHERE guard = ? AND recorded_at > ?
       ORDER BY recorded_at, identity COLLATE "C" OFFSET ? LIMIT ?
      """;

  private static final String COUNT =
      "SELECT count(*) FROM guarded WHERE guard = ? AND recorded_at > ?";

  private final Transactions transactions;

  public PostgresGuardStore(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public void record(GuardRules rules, String identity, Instant now) {
    write(
        RECORD,
        upsert -> {
          upsert.setString(1, rules.name());
          upsert.setString(2, identity);
          upsert.setObject(3, time(now));
          upsert.setObject(4, time(GuardWindow.expiredUntil(now, rules.window())));
          return upsert.executeUpdate();
        });
  }

  @Override
  public Optional<Instant> recordedAt(GuardRules rules, String identity) {
    return read(
        RECORDED_AT,
        select -> {
          select.setString(1, rules.name());
          select.setString(2, identity);
          try (var rows = select.executeQuery()) {
            return rows.next()
                ? Optional.of(ArrayBinder.moment(rows, "recorded_at"))
                : Optional.<Instant>empty();
          }
        });
  }

  @Override
  public int purge(GuardRules rules, Instant now) {
    return write(
        PURGE,
        delete -> {
          bind(delete, rules, now);
          delete.setInt(3, PURGE_MAX);
          return delete.executeUpdate();
        });
  }

  @Override
  public List<GuardEntry> underGuard(GuardRules rules, Instant now, int skip, int limit) {
    return read(
        UNDER_GUARD,
        select -> {
          bind(select, rules, now);
          select.setInt(3, skip);
          select.setInt(4, limit);
          var found = new ArrayList<GuardEntry>();
          try (var rows = select.executeQuery()) {
            while (rows.next()) {
              found.add(
                  new GuardEntry(
                      rows.getString("identity"), ArrayBinder.moment(rows, "recorded_at")));
            }
          }
          return found;
        });
  }

  @Override
  public long count(GuardRules rules, Instant now) {
    return read(
        COUNT,
        select -> {
          bind(select, rules, now);
          try (var rows = select.executeQuery()) {
            rows.next();
            return rows.getLong(1);
          }
        });
  }

  private static void bind(PreparedStatement statement, GuardRules rules, Instant now)
      throws SQLException {
    statement.setString(1, rules.name());
    statement.setObject(2, time(GuardWindow.expiredUntil(now, rules.window())));
  }

  private static OffsetDateTime time(Instant moment) {
    return moment.atOffset(ZoneOffset.UTC);
  }

  private interface Statement<T> {
    T run(PreparedStatement statement) throws SQLException;
  }

  private <T> T read(String sql, Statement<T> work) {
    try {
      return transactions.read(prepared(sql, work));
    } catch (PostgresUnavailable e) {
      throw new GuardStoreUnavailable(e);
    }
  }

  private <T> T write(String sql, Statement<T> work) {
    try {
      return transactions.write(prepared(sql, work));
    } catch (PostgresUnavailable e) {
      throw new GuardStoreUnavailable(e);
    }
  }

  private static <T> Transactions.Work<T> prepared(String sql, Statement<T> work) {
    return connection -> {
      try (var statement = connection.prepareStatement(sql)) {
        return work.run(statement);
      }
    };
  }
}
