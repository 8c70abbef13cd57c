package io.holdfast.postgres;

import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The holds that a batch of lines speaks of, each in the last state that the batch knows. Postgres
/// decides: a hold ends here only while it is HELD and no checkout has claimed it. Redis ends no
/// hold that is pinned there, so an end is good whatever numbers pins have had; a Redis that came
/// back older than it was may have a lower one. The end of a hold is taken for no earlier than its
/// beginning, since the clock of a Redis that took over may be behind that of its predecessor; the
/// line itself keeps the time as it was said.
final class HoldBatch {
  private static final String GIVEN =
      ManyRows.text(
          """
          unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::bytea[],
                 ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[],
                 ?::bigint[], ?::text[])
            AS given (hold_id, caller, requester, items, fence, salt, token, placed_ms, lease_until_ms,
                      lease_ms, expires_ms, pin_no, state, ended_ms, end_reason)
          """);

  /// Also where another hold has the fence already, which must never be: then nothing is written,
  /// and it shows as drift.
  private static final String INSERT =
      """
      INSERT INTO hold (pool, hold_id, caller, requester, items, fence, salt, token, placed_at,
                        lease_until, lease_ms, expires_at, pin_no, state, ended_at, end_reason)
      SELECT ?, hold_id, caller, requester, string_to_array(items, E'\\n'), fence, salt, token,
             to_timestamp(placed_ms::float8 / 1000), to_timestamp(lease_until_ms::float8 / 1000),
             lease_ms, to_timestamp(expires_ms::float8 / 1000), pin_no, state,
             to_timestamp(greatest(ended_ms, CASE WHEN state <> 'HELD' THEN placed_ms END)::float8
                          / 1000),
             end_reason
        FROM %s
          ON CONFLICT DO NOTHING
      RETURNING fence
      """
          .formatted(GIVEN);

  private static final String END =
      """
      UPDATE hold
         SET state = given.state, end_reason = given.end_reason,
             pin_no = greatest(hold.pin_no, given.pin_no),
             lease_until = to_timestamp(given.lease_until_ms::float8 / 1000),
             ended_at = greatest(to_timestamp(given.ended_ms::float8 / 1000), hold.placed_at)
        FROM (SELECT ?::text) AS asked (pool), %s
       WHERE hold.pool = asked.pool
         AND hold.fence = given.fence
         AND hold.hold_id = given.hold_id
         AND hold.state = 'HELD'
         AND mod(hold.pin_no, 2) = 0
      RETURNING hold.fence
      """
          .formatted(GIVEN);

  private static final String COUNT_DRIFT =
      """
      SELECT count(*)
        FROM (SELECT ?::text) AS asked (pool), %s
       WHERE NOT EXISTS (SELECT 1 FROM hold
                          WHERE hold.pool = asked.pool
                            AND hold.fence = given.fence
                            AND hold.hold_id = given.hold_id
                            AND given.state IN ('HELD', hold.state))
      """
          .formatted(GIVEN);

  /// Those that stand here as the batch says already. One look-up each, whatever the planner thinks
  /// of a pool that it has not counted.
  private static final String KNOWN =
      ManyRows.text(
          """
          SELECT given.fence
            FROM (SELECT ?::text) AS asked (pool),
                 unnest(?::text[], ?::bigint[], ?::text[]) AS given (hold_id, fence, state)
           WHERE given.state = (SELECT hold.state FROM hold
                                 WHERE hold.pool = asked.pool
                                   AND hold.hold_id = given.hold_id
                                   AND hold.fence = given.fence)
          """);

  private final Connection connection;
  private final PoolName pool;
  private final List<HoldRecord> holds;

  private HoldBatch(Connection connection, PoolName pool, List<HoldRecord> holds) {
    this.connection = connection;
    this.pool = pool;
    this.holds = holds;
  }

  /// @param written the holds that stand as the batch says because of it
  /// @param drift how many are another thing in Postgres than in the journal
  record Upserted(Set<Fence> written, int drift) {}

  static Upserted upsert(Connection connection, PoolName pool, List<JournalLine> lines)
      throws SQLException {
    var last = lastStates(lines);
    var known = known(connection, pool, last);
    var holds = last.stream().filter(hold -> !known.contains(hold.fence())).toList();
    return holds.isEmpty()
        ? new Upserted(Set.of(), 0)
        : new HoldBatch(connection, pool, holds).upsert();
  }

  /// Redis hears of a sale from Postgres, so there is nothing to write of it as a rule.
  private static Set<Fence> known(Connection connection, PoolName pool, List<HoldRecord> last)
      throws SQLException {
    var sold = last.stream().filter(hold -> hold.state() == HoldState.CONFIRMED).toList();
    if (sold.isEmpty()) {
      return Set.of();
    }
    try (var select = connection.prepareStatement(KNOWN)) {
      select.setString(1, pool.value());
      new Columns<>(connection, select, 2, sold)
          .text(hold -> hold.id(pool).toString())
          .number(hold -> hold.fence().value())
          .text(hold -> hold.state().name());
      return fences(select);
    }
  }

  private Upserted upsert() throws SQLException {
    var written = fences(INSERT, holds);
    var present = holds.stream().filter(hold -> !written.contains(hold.fence())).toList();
    var ended = present.stream().filter(hold -> hold.state() != HoldState.HELD).toList();
    var updated = ended.isEmpty() ? Set.<Fence>of() : fences(END, ended);
    written.addAll(updated);
    return new Upserted(written, updated.size() == present.size() ? 0 : countDrift(present));
  }

  private Set<Fence> fences(String sql, List<HoldRecord> given) throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      bind(statement, given);
      return fences(statement);
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

  private int countDrift(List<HoldRecord> present) throws SQLException {
    try (var select = connection.prepareStatement(COUNT_DRIFT)) {
      bind(select, present);
      try (var rows = select.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
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
