package io.holdfast.change;

import io.holdfast.change.ChangedValues.Values;
import io.holdfast.events.Event;
import io.holdfast.events.EventType;
import io.holdfast.events.EventWriter;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.Timestamp;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Records who has changed a pool, and publishes the change, both in the transaction of the change.
@Singleton
final class ChangeLog {
  private static final String RECORD =
      """
      INSERT INTO pool_change (pool, kind, changed_by, changed_at, reason, items, detail)
      VALUES (?, ?, ?, date_trunc('milliseconds', clock_timestamp()), ?, ?, ?::jsonb)
      RETURNING changed_at
      """;

  /// An event names this many items at most; the record names all.
  private static final int NAMED_MAX = 1_000;

  private final EventWriter events;
  private final ObjectMapper json;

  ChangeLog(EventWriter events, ObjectMapper json) {
    this.events = events;
    this.json = json;
  }

  enum Kind {
    /// Rules, prices or the capacity.
    CHANGED,
    ITEMS_ADDED,
    BLOCKED,
    UNBLOCKED
  }

  /// @param reason given by the operator
  /// @param items that were added, blocked, unblocked, or have another price
  record Change(
      PoolName pool,
      Kind kind,
      String by,
      @Nullable String reason,
      List<String> items,
      Values values) {

    static Change ofItems(
        PoolName pool, Kind kind, String by, @Nullable String reason, List<String> items) {
      return new Change(pool, kind, by, reason, items, Values.NONE);
    }
  }

  void record(Transaction transaction, Change change) {
    try {
      var at = insert(transaction, change);
      events.append(transaction.connection(), List.of(event(change, at)));
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private Instant insert(Transaction transaction, Change change) throws SQLException {
    var connection = transaction.connection();
    try (var insert = connection.prepareStatement(RECORD)) {
      insert.setString(1, change.pool.value());
      insert.setString(2, change.kind.name());
      insert.setString(3, change.by);
      insert.setString(4, change.reason);
      insert.setArray(5, connection.createArrayOf("text", change.items.toArray()));
      insert.setString(6, detail(change));
      try (var rows = insert.executeQuery()) {
        rows.next();
        return ArrayBinder.moment(rows, "changed_at");
      }
    }
  }

  private String detail(Change change) {
    var values = change.values;
    try {
      return json.writeValueAsString(
          Map.of(
              "before",
              values.before(Integer.MAX_VALUE),
              "after",
              values.after(Integer.MAX_VALUE)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Event event(Change change, Instant at) {
    var data = new LinkedHashMap<String, @Nullable Object>();
    data.put("pool", change.pool.value());
    data.put("kind", change.kind.name());
    data.put("changedBy", change.by);
    data.put("changedAt", Timestamp.of(at));
    data.put("reason", change.reason);
    data.put("items", change.items.subList(0, Math.min(NAMED_MAX, change.items.size())));
    data.put("itemCount", (long) change.items.size());
    data.put("before", change.values.before(NAMED_MAX));
    data.put("after", change.values.after(NAMED_MAX));
    return Event.createFatEvent(EventType.POOL_CHANGED, change.pool, change.pool.value(), data);
  }
}
