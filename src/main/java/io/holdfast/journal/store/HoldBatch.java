package io.holdfast.journal.store;

import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Stores the holds of a batch of journal lines, each in its last state. Postgres decides: a hold
/// ends here only while it is HELD and no checkout has claimed it. Redis never ends a pinned hold,
/// so an end is valid whatever its pin number; a Redis restored from an older state may have a
/// lower one. The end is stored as no earlier than the placement, because the clock of a new Redis
/// master may be behind; the journal line keeps the original time.
final class HoldBatch {
  private static final String ROWS =
      """
      INSERT INTO hold (pool, hold_id, caller, requester, items, quantity, metadata, amount_cents,
                        fence, salt, token, placed_at, lease_until, lease_ms, expires_at, pin_no, state, ended_at,
                        end_reason, pseudonym)
      SELECT ?, hold_id, caller, requester, string_to_array(items, E'\\n'), quantity, metadata,
             amount_cents, fence, salt, token,
             to_timestamp(placed_ms::float8 / 1000),
             to_timestamp(lease_until_ms::float8 / 1000),
             lease_ms, to_timestamp(expires_ms::float8 / 1000), pin_no, state::hold_state,
             to_timestamp(greatest(ended_ms, CASE WHEN state <> 'HELD' THEN placed_ms END)::float8
                          / 1000),
             end_reason::hold_end_reason, pseudonym
        FROM (SELECT unnest(?::text[]) AS hold_id, unnest(?::text[]) AS caller,
                     unnest(?::text[]) AS requester, unnest(?::text[]) AS items,
                     unnest(?::bigint[]) AS quantity, unnest(?::text[]) AS metadata,
                     unnest(?::bigint[]) AS amount_cents, unnest(?::bigint[]) AS fence, unnest(?::text[]) AS salt,
                     unnest(?::bytea[]) AS token, unnest(?::bigint[]) AS placed_ms,
                     unnest(?::bigint[]) AS lease_until_ms, unnest(?::bigint[]) AS lease_ms,
                     unnest(?::bigint[]) AS expires_ms, unnest(?::bigint[]) AS pin_no,
                     unnest(?::text[]) AS state, unnest(?::bigint[]) AS ended_ms,
                     unnest(?::text[]) AS end_reason, unnest(?::text[]) AS pseudonym) AS given
      """;

  /// Inserts live holds. An existing row is neither changed nor locked: a sale may be using it. If
  /// another hold has the fence, which must never happen, the hold counts as drift.
  private static final String PLACE =
      ROWS
          + """
          ON CONFLICT DO NOTHING
          RETURNING fence
          """;

  /// Ends holds, and inserts missing ones. ON CONFLICT finds the existing row by the arbiter index,
  /// whatever the statistics: an UPDATE with a join by fence read all live holds of the pool once
  /// for each given row while the table had no statistics.
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

  /// Finds the holds whose row agrees with the batch; a hold that was placed and has ended since
  /// agrees. A scalar sub-select is never turned into a join. With `hold_id` and `fence` in it,
  /// every index that the planner may use leads to one row.
  private static final String AGREEING =
      """
      SELECT given.fence
        FROM (SELECT ?::text) AS asked (pool),
             (SELECT unnest(?::text[]) AS hold_id, unnest(?::bigint[]) AS fence,
                     unnest(?::text[]) AS state) AS given
       WHERE (SELECT given.state IN ('HELD', hold.state::text) FROM hold
               WHERE hold.pool = asked.pool
                 AND hold.hold_id = given.hold_id
                 AND hold.fence = given.fence)
      """;

  private final Connection connection;
  private final PoolName pool;
  private final Pseudonyms pseudonyms;

  private HoldBatch(Connection connection, PoolName pool, Pseudonyms pseudonyms) {
    this.connection = connection;
    this.pool = pool;
    this.pseudonyms = pseudonyms;
  }

  /// @param written the holds that this batch inserted or ended
  /// @param drift the number of holds whose row contradicts the journal
  record Upserted(Set<Fence> written, int drift) {}

  /// Skips sales that are stored already, which is the rule: Redis learns of a sale from Postgres.
  static Upserted upsert(
      Connection connection, PoolName pool, List<JournalLine> lines, Pseudonyms pseudonyms)
      throws SQLException {
    var batch = new HoldBatch(connection, pool, pseudonyms);
    var last = lastStates(lines);
    var storedSales = batch.agreeing(only(last, hold -> hold.state() == HoldState.CONFIRMED));
    return batch.write(only(last, hold -> !storedSales.contains(hold.fence())));
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
      new ArrayBinder<>(select, 2, holds)
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
    new ArrayBinder<>(statement, 2, rows)
        .text(hold -> hold.id(pool).toString())
        .text(HoldRecord::caller)
        .text(HoldRecord::requester)
        .text(HoldRecord::itemLines)
        .number(hold -> hold.quantity() == null ? null : hold.quantity().longValue())
        .text(HoldRecord::metadata)
        .number(hold -> hold.bid() == null ? null : hold.bid().amountCents())
        .number(hold -> hold.fence().value())
        .text(HoldRecord::salt)
        .bytes(HoldRecord::token)
        .moment(HoldRecord::placedAt)
        .moment(HoldRecord::leaseUntil)
        .number(hold -> hold.lease().toMillis())
        .moment(HoldRecord::expiresAt)
        .number(HoldBatch::pinNo)
        .text(hold -> hold.state().name())
        .moment(HoldRecord::endedAt)
        .text(hold -> hold.endReason() == null ? null : hold.endReason().name())
        .text(pseudonyms::of);
  }

  /// A hold that was placed again while it was pinned has an odd number in its line. In Postgres an
  /// odd number of a live hold means that a checkout has claimed it, and only a claim may say so.
  private static long pinNo(HoldRecord hold) {
    return hold.state() == HoldState.HELD ? hold.pinNo() - hold.pinNo() % 2 : hold.pinNo();
  }

  /// In the order of fences, in which every transaction locks holds.
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
