package io.holdfast.commitment;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.sale.SaleVerifier;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Decisions of Postgres that Redis may not have yet. Applying an entry twice has no effect:
/// versions and ends do not go back.
@Singleton
public final class Outbox {
  /// A sale is relayed only after its verification. OFFSET 0 keeps the planner from starting with
  /// all holds: the outbox is usually empty when its statistics are collected.
  private static final String DUE =
      """
      SELECT o.id, h.*,
             ARRAY(SELECT concat_ws(E'\\t', i.version, i.status, i.item) FROM item i
                    WHERE i.pool = h.pool AND i.item = ANY (h.items) ORDER BY i.item) AS states,
             (SELECT ARRAY[s.version, s.capacity, s.sold, s.claimed] FROM stock s
               WHERE s.pool = o.pool) AS stock_level,
             (SELECT count(*) FROM commitment c
               WHERE c.pool = h.pool AND c.hold_id = h.hold_id AND c.voided_at IS NULL) AS live
        FROM outbox o
             CROSS JOIN LATERAL (SELECT * FROM hold
                                  WHERE hold.pool = o.pool AND hold.hold_id = o.hold_id OFFSET 0) h
       WHERE o.created_at <= clock_timestamp() - ? * interval '1 millisecond'
         AND (?::text IS NULL OR o.pool = ?)
         AND (h.state <> 'CONFIRMED'
              OR EXISTS (SELECT 1 FROM verification v
                          WHERE v.pool = o.pool AND v.hold_id = o.hold_id))
       ORDER BY o.id
       LIMIT ?
      """;

  /// Does not wait for the disk: an entry whose deletion is lost is relayed again.
  private static final String ACKNOWLEDGE =
      "SELECT set_config('synchronous_commit', 'off', true), "
          + Plans.BY_INDEX
          + ";\nDELETE FROM outbox WHERE id = ANY (?)";

  private static final int STATE_FIELDS = 3;

  private final Transactions transactions;

  public Outbox(Transactions transactions) {
    this.transactions = transactions;
  }

  /// Due entries, the oldest first.
  ///
  /// @param olderThan the minimum age; the process that decided applies younger entries itself
  public List<OutboxEntry> due(Duration olderThan, int limit) {
    return due(null, olderThan, limit);
  }

  /// The same, of one pool.
  public List<OutboxEntry> due(PoolName pool, int limit) {
    return due(pool.value(), Duration.ZERO, limit);
  }

  private List<OutboxEntry> due(@Nullable String pool, Duration olderThan, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(DUE)) {
            select.setLong(1, olderThan.toMillis());
            select.setString(2, pool);
            select.setString(3, pool);
            select.setInt(4, limit);
            var due = new ArrayList<OutboxEntry>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                due.add(due(rows));
              }
            }
            return due;
          }
        });
  }

  /// Deletes entries that Redis has applied.
  public void acknowledge(Collection<Long> ids) {
    transactions.write(
        connection -> {
          try (var delete = connection.prepareStatement(ACKNOWLEDGE)) {
            delete.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
            return delete.execute();
          }
        });
  }

  /// Sales without a verification, because their process died. All of them still have an outbox
  /// entry, since an entry is deleted only after the verification.
  public List<SaleVerifier.Sold> unverified(Duration olderThan, int limit) {
    var sql =
        """
        SELECT o.pool, o.hold_id, h.fence
          FROM outbox o
               CROSS JOIN LATERAL (SELECT state, fence FROM hold
                                    WHERE hold.pool = o.pool AND hold.hold_id = o.hold_id OFFSET 0) h
         WHERE o.created_at <= clock_timestamp() - ? * interval '1 millisecond'
           AND h.state = 'CONFIRMED'
           AND NOT EXISTS (SELECT 1 FROM verification v
                            WHERE v.pool = o.pool AND v.hold_id = o.hold_id)
         LIMIT ?
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setLong(1, olderThan.toMillis());
            select.setInt(2, limit);
            var sold = new ArrayList<SaleVerifier.Sold>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                sold.add(
                    new SaleVerifier.Sold(
                        new PoolName(rows.getString(1)), rows.getString(2), rows.getLong(3)));
              }
            }
            return sold;
          }
        });
  }

  private static OutboxEntry due(ResultSet row) throws SQLException {
    var items =
        row.getArray(StockLevel.COLUMN) == null
            ? Stream.of((String[]) row.getArray("states").getArray()).map(Outbox::state).toList()
            : List.of(ItemState.of(StockLevel.of(row)));
    return new OutboxEntry(
        row.getLong("id"),
        new PoolName(row.getString("pool")),
        HoldRows.record(row),
        items,
        row.getInt("live"));
  }

  private static ItemState state(String text) {
    var fields = text.split("\t", STATE_FIELDS);
    return new ItemState(
        new ItemId(fields[2]), Long.parseLong(fields[0]), Status.valueOf(fields[1]), null);
  }
}
