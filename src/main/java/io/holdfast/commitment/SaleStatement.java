package io.holdfast.commitment;

import io.holdfast.commitment.SaleVerifier.Sold;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.Several;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The last round trip of a transaction of sales: all that it writes, in one statement, then
/// COMMIT, then the second look. Postgres itself checks how many rows were written, and runs
/// nothing behind an error, so nothing else is committed.
final class SaleStatement {
  /// Of `written_as_read`.
  static final String MOVED = "HF001";

  private static final String UNIQUE_VIOLATION = "23505";
  private static final String WITHOUT_FLUSH = "SET LOCAL synchronous_commit = off;\n";
  private static final int NOTHING = -1;

  private final Connection connection;
  private final boolean isDurable;
  private final List<ClosingPart<?>> parts = new ArrayList<>();
  private String settings = "";
  private int backend;
  private int momentBehind = NOTHING;
  private @Nullable Instant moment;
  private final Map<String, Instant> ends = new HashMap<>();
  private final Map<String, List<ItemVersion>> versions = new HashMap<>();
  private final Map<String, Long> outboxIds = new HashMap<>();

  /// @param isDurable whether COMMIT waits for the disk
  SaleStatement(Connection connection, boolean isDurable) {
    this.connection = connection;
    this.isDurable = isDurable;
  }

  /// Nothing was read before, so it is in this round trip that all is asked and locked that the
  /// writing relies on, and no lock is waited for longer than that.
  SaleStatement assuming(List<ConfirmRequest> requests, Duration lockMax) throws SQLException {
    backend = ConnectionPool.backendOf(connection);
    settings = OptimisticChecks.settings(lockMax);
    return add(OptimisticChecks.NAMES, requests, OptimisticChecks::bindNames)
        .add(OptimisticChecks.LIVES, OptimisticChecks.lives(requests), OptimisticChecks::bindLives);
  }

  /// What has to be new. Of what is assumed to be so nobody asks before it is written: the index
  /// refuses it, and that is asked for once in the place of twice.
  <R> SaleStatement addNew(String sql, List<R> rows, Several.Binding<R> binding, int expected) {
    return add(isAssuming() ? OptimisticChecks.asNew(sql) : sql, rows, binding, expected);
  }

  private boolean isAssuming() {
    return !settings.isEmpty();
  }

  /// The items, whose compare-and-set decides when all of it happens.
  SaleStatement take(List<ItemUpdates.Move> moves) {
    if (moves.isEmpty()) {
      return this;
    }
    momentBehind = parts.size();
    var deadline = moves.stream().map(ItemUpdates.Move::deadline).min(Comparator.naturalOrder());
    return add(ItemUpdates.TAKE, moves, ItemUpdates::bind)
        .add(Moment.IN_TIME, List.of(deadline.orElseThrow()), Moment::bind);
  }

  /// One row has to be written for each that is given.
  <R> SaleStatement add(String sql, List<R> rows, Several.Binding<R> binding) {
    return add(sql, rows, binding, rows.size());
  }

  <R> SaleStatement add(String sql, List<R> rows, Several.Binding<R> binding, int expected) {
    if (!rows.isEmpty()) {
      parts.add(new ClosingPart<>(sql, rows, binding, expected));
    }
    return this;
  }

  /// Returns the ids of the holds whose sale has failed the second look. If this fails, nobody
  /// knows whether it was committed, unless `hasMoved` says so.
  Set<String> commit(List<Sold> sales) throws SQLException {
    if (parts.isEmpty()) {
      connection.commit();
      return Set.of();
    }
    try (var statement = connection.prepareStatement(Plans.current(text(sales)))) {
      bind(statement, sales);
      statement.execute();
      for (var i = 0; i < prelude().lines().count(); i++) {
        statement.getMoreResults();
      }
      take(statement);
      statement.getMoreResults(); // of COMMIT
      statement.getMoreResults();
      return sales.isEmpty() ? Set.of() : SaleVerifier.read(statement);
    }
  }

  /// Whether it was not committed, because the world was no longer as it had been read.
  boolean hasMoved(SQLException e) {
    return MOVED.equals(e.getSQLState())
        || isAssuming() && UNIQUE_VIOLATION.equals(e.getSQLState());
  }

  /// Finds out what the answer would have told that was lost. Who tells Redis of these sales once
  /// more is not found out: that does no harm.
  ///
  /// @param connection another one
  void recall(Connection connection, List<Sale> sales) throws SQLException {
    var sql =
        """
        SELECT i.item, i.version AS number, h.ended_at
          FROM hold h LEFT JOIN item i
               ON i.pool = h.pool AND i.item = ANY (h.items)
                  AND i.status = 'SOLD' AND i.holder = h.hold_id
         WHERE h.pool = ? AND h.hold_id = ?
        """;
    try (var select = connection.prepareStatement(sql)) {
      for (var sale : sales) {
        var hold = sale.request().hold().toString();
        select.setString(1, sale.request().pool().name().value());
        select.setString(2, hold);
        try (var rows = select.executeQuery()) {
          while (rows.next()) {
            ends.put(hold, Columns.moment(rows, "ended_at"));
            if (rows.getString("item") != null) { // it may have been voided meanwhile
              sold(hold, rows);
            }
          }
        }
      }
    }
  }

  private String prelude() {
    return (isDurable ? "" : WITHOUT_FLUSH) + settings;
  }

  private String text(List<Sold> sales) {
    var numbers = IntStream.range(0, parts.size()).boxed().toList();
    var written = new ArrayList<>(numbers.stream().map(i -> parts.get(i).text(i)).toList());
    written.add(
        momentBehind + 1,
        Moment.part(momentBehind == NOTHING ? "" : ClosingPart.name(momentBehind)));
    var counts =
        numbers.stream().map(i -> "(SELECT count(*) FROM " + ClosingPart.name(i) + ")").toList();
    var told =
        numbers.stream()
            .filter(i -> parts.get(i).tells())
            .map(i -> "UNION ALL SELECT * FROM %s\n".formatted(ClosingPart.name(i)));
    var text =
        """
        WITH %s
        SELECT NULL::text AS hold_id, NULL::text AS item, (SELECT ms FROM moment) AS number
         WHERE written_as_read(ARRAY[%s], ?)
        %s;
        COMMIT\
        """
            .formatted(
                String.join(",\n", written),
                String.join(", ", counts),
                told.collect(Collectors.joining()));
    var look = sales.isEmpty() ? "" : ";\n" + SaleVerifier.text(sales.size() == 1);
    return prelude() + text + look;
  }

  private void bind(PreparedStatement statement, List<Sold> sales) throws SQLException {
    var next = 1;
    for (var part : parts) {
      next = part.bind(connection, statement, next);
    }
    var expected = parts.stream().map(ClosingPart::expected).toArray(Long[]::new);
    statement.setArray(next++, connection.createArrayOf("bigint", expected));
    if (!sales.isEmpty()) {
      SaleVerifier.bind(new Columns.Slots(connection, statement, next, sales.size() == 1), sales);
    }
  }

  /// The items that were sold, and what was put into the outbox.
  private void take(PreparedStatement statement) throws SQLException {
    try (var rows = statement.getResultSet()) {
      while (rows.next()) {
        take(rows);
      }
    }
  }

  private void take(ResultSet row) throws SQLException {
    var hold = row.getString("hold_id");
    if (hold == null) { // all was written
      moment = Instant.ofEpochMilli(row.getLong("number"));
      return;
    }
    if (row.getString("item") == null) {
      outboxIds.put(hold, row.getLong("number"));
    } else {
      sold(hold, row);
    }
  }

  private void sold(String hold, ResultSet row) throws SQLException {
    versions
        .computeIfAbsent(hold, _ -> new ArrayList<>())
        .add(new ItemVersion(new ItemId(row.getString("item")), row.getLong("number")));
  }

  /// Who has to have ended before nothing can come of a writing without an answer; 0 if that is
  /// told by a lock that was had before.
  int backend() {
    return backend;
  }

  /// When a hold was sold.
  ///
  /// @param sold with the earliest that it may be
  Instant endOf(HoldRecord sold, String holdId) {
    var end = ends.getOrDefault(holdId, moment);
    return end == null || end.isBefore(sold.endedAt()) ? sold.endedAt() : end;
  }

  /// What the items that were sold have become, by hold.
  List<ItemVersion> versions(String holdId) {
    return versions.getOrDefault(holdId, List.of());
  }

  /// What tells the relay of a sale.
  long outboxId(String holdId) {
    return outboxIds.getOrDefault(holdId, 0L);
  }
}
