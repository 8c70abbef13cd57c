package io.holdfast.journal.store;

import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.ManyRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The holds that a batch of lines speaks of, each in the last state that the batch knows. Postgres
/// decides: a hold ends here only while it is HELD and no checkout has claimed it. Redis ends no
/// hold that is pinned there, so an end is good whatever numbers pins have had; a Redis that came
/// back older than it was may have a lower one. The end of a hold is taken for no earlier than its
/// beginning, since the clock of a Redis that took over may be behind that of its predecessor; the
/// line itself keeps the time as it was said.
final class HoldBatch {
  private static final String ROWS =
      ManyRows.text(
          """
          INSERT INTO hold (pool, hold_id, caller, requester, items, fence, salt, token, placed_at,
                            lease_until, lease_ms, expires_at, pin_no, state, ended_at, end_reason)
          SELECT ?, hold_id, caller, requester, string_to_array(items, E'\\n'), fence, salt, token,
                 to_timestamp(placed_ms::float8 / 1000),
                 to_timestamp(lease_until_ms::float8 / 1000),
                 lease_ms, to_timestamp(expires_ms::float8 / 1000), pin_no, state::hold_state,
                 to_timestamp(greatest(ended_ms, CASE WHEN state <> 'HELD' THEN placed_ms END)::float8
                              / 1000),
                 end_reason::hold_end_reason
            FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[],
                        ?::bytea[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
                        ?::text[], ?::bigint[], ?::text[])
              AS given (hold_id, caller, requester, items, fence, salt, token, placed_ms,
                        lease_until_ms, lease_ms, expires_ms, pin_no, state, ended_ms, end_reason)
          """);

  /// Inserts live holds. A row that exists stays as it is and is not locked: a sale may be using
  /// it. If another hold has the fence, which must never be, it shows as drift.
  private static final String PLACE =
      ROWS
          + """
          ON CONFLICT DO NOTHING
          RETURNING fence
          """;

  /// Ends holds, and inserts those that Postgres does not know yet. Postgres finds the existing row
  /// by the arbiter index, so there is no plan to choose: an UPDATE that joined the rows by fence
  /// read all live holds of the pool once for each given row while the table had no statistics.
  private static final String END =
      ROWS
          + """
          ON CONFLICT (pool, fence) DO UPDATE
             SET state = EXCLUDED.state, end_reason = EXCLUDED.end_reason,
                 pin_no = greatest(hold.pin_no, EXCLUDED.pin_no),
                 lease_until = EXCLUDED.lease_until,
                 ended_at = greatest(EXCLUDED.ended_at, hold.placed_at)
           WHERE hold.hold_id = EXCLUDED.hold_id
             AND hold.state = 'HELD'
             AND mod(hold.pin_no, 2) = 0
          RETURNING fence
          """;

  /// Finds the holds that agree with the batch; a hold that has ended since it was placed does. A
  /// scalar sub-select is never turned into a join. With `hold_id` and `fence` in it, every index
  /// that the planner may take leads to one row.
  private static final String AGREEING =
      ManyRows.text(
          """
          SELECT given.fence
            FROM (SELECT ?::text) AS asked (pool),
                 unnest(?::text[], ?::bigint[], ?::text[]) AS given (hold_id, fence, state)
           WHERE (SELECT given.state IN ('HELD', hold.state::text) FROM hold
                   WHERE hold.pool = asked.pool
                     AND hold.hold_id = given.hold_id
                     AND hold.fence = given.fence)
          """);

  private final Connection connection;
  private final PoolName pool;

  private HoldBatch(Connection connection, PoolName pool) {
    this.connection = connection;
    this.pool = pool;
  }

  /// @param written the holds that stand as the batch says because of it
  /// @param drift how many are another thing in Postgres than in the journal
  record Upserted(Set<Fence> written, int drift) {}

  /// Leaves out the sales that stand here already: Redis hears of a sale from Postgres, so as a
  /// rule there is nothing to write.
  static Upserted upsert(Connection connection, PoolName pool, List<JournalLine> lines)
      throws SQLException {
    var batch = new HoldBatch(connection, pool);
    var last = lastStates(lines);
    var known = batch.agreeing(only(last, hold -> hold.state() == HoldState.CONFIRMED));
    return batch.write(only(last, hold -> !known.contains(hold.fence())));
  }

  private Upserted write(List<HoldRecord> holds) throws SQLException {
    var written = new HashSet<Fence>();
    written.addAll(write(PLACE, only(holds, hold -> hold.state() == HoldState.HELD)));
    written.addAll(write(END, only(holds, hold -> hold.state() != HoldState.HELD)));
    var others = only(holds, hold -> !written.contains(hold.fence()));
    return new Upserted(written, others.size() - agreeing(others).size());
  }

  private Set<Fence> write(String sql, List<HoldRecord> holds) throws SQLException {
    if (holds.isEmpty()) {
      return Set.of();
    }
    try (var statement = connection.prepareStatement(sql)) {
      bind(statement, holds);
      return fences(statement);
    }
  }

  private Set<Fence> agreeing(List<HoldRecord> holds) throws SQLException {
    if (holds.isEmpty()) {
      return Set.of();
    }
    try (var select = connection.prepareStatement(AGREEING)) {
      select.setString(1, pool.value());
      new Columns<>(connection, select, 2, holds)
          .text(hold -> hold.id(pool).toString())
          .number(hold -> hold.fence().value())
          .text(hold -> hold.state().name());
      return fences(select);
    }
  }

  private static Set<Fence> fences(PreparedStatement statement) throws SQLException {
    var fences = new HashSet<Fence>();
    try (var rows = statement.executeQuery()) {
      while (rows.next()) {
        fences.add(new Fence(rows.getLong(1)));
      }
    }
    return fences;
  }

  private static List<HoldRecord> only(List<HoldRecord> holds, Predicate<HoldRecord> condition) {
    return holds.stream().filter(condition).toList();
  }

  private void bind(PreparedStatement statement, List<HoldRecord> rows) throws SQLException {
    statement.setString(1, pool.value());
    new Columns<>(connection, statement, 2, rows)
        .text(hold -> hold.id(pool).toString())
        .text(HoldRecord::caller)
        .text(HoldRecord::requester)
        .text(hold -> hold.items().stream().map(ItemId::value).collect(Collectors.joining("\n")))
        .number(hold -> hold.fence().value())
        .text(HoldRecord::salt)
        .bytes(HoldRecord::token)
        .moment(HoldRecord::placedAt)
        .moment(HoldRecord::leaseUntil)
        .number(hold -> hold.lease().toMillis())
        .moment(HoldRecord::expiresAt)
        .number(HoldRecord::pinNo)
        .text(hold -> hold.state().name())
        .moment(HoldRecord::endedAt)
        .text(hold -> hold.endReason() == null ? null : hold.endReason().name());
  }

  /// In the order of fences, so that whoever else locks several holds meets them in this order.
  private static List<HoldRecord> lastStates(List<JournalLine> lines) {
    var last = new TreeMap<Fence, HoldRecord>();
    for (var line : lines) {
      if (line.hold() != null) {
        last.put(line.hold().fence(), line.hold());
      }
    }
    return new ArrayList<>(last.values());
  }
}
