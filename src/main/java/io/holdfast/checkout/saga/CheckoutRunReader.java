package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.CheckoutRun.Order;
import io.holdfast.checkout.saga.CheckoutRun.Part;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Price;
import io.holdfast.postgres.ArrayBinder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The SQL that reads runs with their steps, in one round trip.
public final class CheckoutRunReader {
  private static final String COLUMNS =
      """
      SELECT c.*, s.ordinal, s.name, s.call_id, s.undo_id, s.state, s.undo, s.undo_tries, s.detail,
             s.changed_at AS step_changed_at, s.value_cents AS part_cents,
             s.refund_cents AS part_refund_cents
        FROM checkout c JOIN checkout_step s USING (pool, checkout_id)
      """;

  private static final String ONE =
      COLUMNS + " WHERE c.pool = ? AND c.checkout_id = ? ORDER BY s.ordinal";

  /// Skips runs that another instance is taking.
  private static final String TAKE =
      """
      WITH due AS (
          SELECT pool, checkout_id FROM checkout
           WHERE ended_at IS NULL AND next_at <= clock_timestamp()
             AND lease_until <= clock_timestamp()
           ORDER BY next_at LIMIT ? FOR UPDATE SKIP LOCKED),
      taken AS (
          UPDATE checkout c
             SET lease_no = lease_no + 1,
                 lease_until = clock_timestamp() + ? * interval '1 millisecond'
            FROM due WHERE c.pool = due.pool AND c.checkout_id = due.checkout_id
          RETURNING c.*)
      """
          + COLUMNS.replace("FROM checkout c", "FROM taken c")
          + " ORDER BY c.next_at, c.checkout_id, s.ordinal";

  private static final String PAGE_START =
      """
      WITH page AS MATERIALIZED (
          SELECT * FROM checkout
           WHERE (pool, checkout_id) > (?, ?) AND pool BETWEEN ? AND ?
             AND (?::text IS NULL OR caller = ?)
             AND (cardinality(?::text[]) = 0 OR saga || ':' || steps_done = ANY (?::text[]))
      """;

  private static final String PAGE_END =
      """
           ORDER BY pool, checkout_id LIMIT ?)
      """
          + COLUMNS.replace("FROM checkout c", "FROM page c")
          + " ORDER BY c.pool, c.checkout_id, s.ordinal";

  /// Above every name of a pool.
  private static final String POOL_MAX = "z".repeat(65);

  private CheckoutRunReader() {}

  /// Which runs are listed.
  ///
  /// @param pool null for all pools
  /// @param caller null for all callers
  /// @param reached for running ones: `saga:steps`, of which one applies; empty for any
  public record Filter(
      @Nullable String pool, @Nullable String caller, State state, List<String> reached) {
    public Filter {
      reached = List.copyOf(reached);
    }

    /// Each has a text of its own, so that the few that failed are found by their index.
    public enum State {
      ANY(""),
      RUNNING("AND phase = 'FORWARD' AND ended_at IS NULL"),
      FULFILLED("AND phase IN ('DONE', 'REFUNDING')"),
      COMPENSATING("AND phase = 'COMPENSATING'"),
      COMPENSATED("AND phase = 'COMPENSATED'"),
      STUCK("AND phase = 'STUCK'");

      private final String sql;

      State(String condition) {
        sql = PAGE_START + condition + "\n" + PAGE_END;
      }
    }
  }

  /// In the order of their pools and ids.
  ///
  /// @param after the last one of the page before; null for the first page
  public static List<CheckoutRun> page(
      Connection connection, Filter filter, @Nullable CheckoutId after, int limit)
      throws SQLException {
    try (var select = connection.prepareStatement(filter.state.sql)) {
      var reached = connection.createArrayOf("text", filter.reached.toArray());
      select.setString(1, after == null ? "" : after.pool().value());
      select.setString(2, after == null ? "" : after.toString());
      select.setString(3, filter.pool == null ? "" : filter.pool);
      select.setString(4, filter.pool == null ? POOL_MAX : filter.pool);
      select.setString(5, filter.caller);
      select.setString(6, filter.caller);
      select.setArray(7, reached);
      select.setArray(8, reached);
      select.setInt(9, limit);
      return runs(select);
    }
  }

  public static Optional<CheckoutRun> find(Connection connection, CheckoutId id)
      throws SQLException {
    try (var select = connection.prepareStatement(ONE)) {
      select.setString(1, id.pool().value());
      select.setString(2, id.toString());
      return runs(select).stream().findFirst();
    }
  }

  /// Whether the hold has a checkout that excludes another one: under way, fulfilled or stuck.
  public static boolean hasRun(Connection connection, HoldId hold) throws SQLException {
    var sql = "SELECT 1 FROM checkout WHERE hold_id = ? AND pool = ? AND phase <> 'COMPENSATED'";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, hold.toString());
      select.setString(2, hold.pool().value());
      try (var rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }

  /// Takes the lease of runs that are due and have no runner.
  public static List<CheckoutRun> take(Connection connection, int most, long leaseMs)
      throws SQLException {
    try (var take = connection.prepareStatement(TAKE)) {
      take.setInt(1, most);
      take.setLong(2, leaseMs);
      return runs(take);
    }
  }

  private static List<CheckoutRun> runs(PreparedStatement select) throws SQLException {
    Map<String, CheckoutRun> runs = new LinkedHashMap<>();
    try (var rows = select.executeQuery()) {
      while (rows.next()) {
        var key = rows.getString("checkout_id");
        var before = runs.get(key);
        var steps = new ArrayList<>(before == null ? List.of() : before.steps());
        steps.add(step(rows));
        runs.put(key, run(rows, steps));
      }
    }
    return List.copyOf(runs.values());
  }

  private static CheckoutRun run(ResultSet row, List<StepState> steps) throws SQLException {
    return new CheckoutRun(
        CheckoutId.parse(row.getString("checkout_id")).orElseThrow(),
        row.getString("saga"),
        order(row),
        Phase.valueOf(row.getString("phase")),
        row.getInt("steps_done"),
        row.getInt("tries"),
        row.getString("failure_code") == null
            ? null
            : new Failure(row.getString("failure_code"), row.getString("failure")),
        momentOrNull(row, "claim_until"),
        row.getString("replacement_id"),
        row.getObject("refund_cents", Long.class),
        row.getLong("lease_no"),
        ArrayBinder.moment(row, "created_at"),
        steps);
  }

  private static Order order(ResultSet row) throws SQLException {
    return new Order(
        row.getString("caller"),
        row.getString("requester"),
        row.getString("hold_id"),
        row.getLong("fence"),
        row.getString("provider"),
        row.getString("method"),
        new Price(row.getLong("amount_cents"), row.getString("currency")),
        row.getString("metadata"),
        row.getString("logical_key"),
        row.getBytes("nonce_hash") == null ? null : ArrayBinder.token(row, "nonce_hash"));
  }

  private static StepState step(ResultSet row) throws SQLException {
    return new StepState(
        row.getString("name"),
        row.getString("call_id"),
        row.getString("undo_id"),
        StepState.State.valueOf(row.getString("state")),
        StepState.Undo.valueOf(row.getString("undo")),
        row.getInt("undo_tries"),
        row.getString("detail"),
        momentOrNull(row, "step_changed_at"),
        row.getObject("part_cents", Long.class) == null
            ? null
            : new Part(row.getLong("part_cents"), row.getLong("part_refund_cents")));
  }

  private static @Nullable Instant momentOrNull(ResultSet row, String column) throws SQLException {
    var moment = row.getObject(column, OffsetDateTime.class);
    return moment == null ? null : moment.toInstant();
  }
}
