package io.holdfast.commitment;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.ManyRows;
import io.holdfast.postgres.Plans;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The first round trip of a transaction: locks what its requests could change, then reads what is
/// known about them. Tokens and logical keys come first, then items, then holds, each in one order
/// for all, so that nobody waits in a circle.
final class LockAndRead {
  private final Connection connection;
  private final List<ConfirmRequest> requests;
  private final boolean waits;
  private final boolean isLone;
  private final Map<Integer, Boolean> locked = new HashMap<>();
  private final Map<String, Epoch> epochs = new HashMap<>();
  private final Map<String, LockedFacts.Item> items = new HashMap<>();
  private final Set<String> holds = new HashSet<>();

  private LockAndRead(Connection connection, List<ConfirmRequest> requests, boolean waits) {
    this.connection = connection;
    this.requests = requests;
    this.waits = waits;
    this.isLone =
        requests.size() == 1 && requests.stream().flatMap(LockAndRead::places).count() == 1;
  }

  /// What is known about each request; null if something of it is locked by somebody else.
  ///
  /// @param waits whether to wait for who has the locks
  /// @param lockMax how long to wait for any one lock, now and later in the transaction
  static List<@Nullable LockedFacts> read(
      Connection connection, List<ConfirmRequest> requests, boolean waits, Duration lockMax)
      throws SQLException {
    var reading = new LockAndRead(connection, requests, waits);
    var sql = waits ? ReadingSql.WAITING : ReadingSql.TRYING;
    try (var statement =
        connection.prepareStatement(
            Plans.current(reading.isLone ? LoneRow.text(sql) : ManyRows.text(sql)))) {
      return reading.read(statement, lockMax);
    }
  }

  private List<@Nullable LockedFacts> read(PreparedStatement statement, Duration lockMax)
      throws SQLException {
    bind(statement, lockMax);
    statement.execute();
    statement.getMoreResults(); // the settings
    each(statement, rows -> locked.put(rows.getInt(1), rows.getBoolean(2)));
    statement.getMoreResults();
    each(statement, rows -> epochs.put(rows.getString(1), new Epoch(rows.getLong(2))));
    statement.getMoreResults();
    each(statement, rows -> items.put(rows.getString(1) + "\n" + rows.getString(2), item(rows)));
    statement.getMoreResults();
    each(statement, rows -> holds.add(rows.getString(1)));
    statement.getMoreResults();
    var facts = new LockedFacts[requests.size()];
    each(statement, rows -> facts[rows.getInt("place") - 1] = facts(rows));
    return Arrays.asList(facts);
  }

  private void bind(PreparedStatement statement, Duration lockMax) throws SQLException {
    var pinned = requests.stream().filter(r -> r.intent() instanceof Pinned).toList();
    var places = pinned.stream().flatMap(LockAndRead::places).distinct().toList();
    statement.setString(1, Long.toString(lockMax.toMillis()));
    var slots = new Columns.Slots(connection, statement, 2, isLone);
    var names =
        slots
            .of(numbered())
            .number(Numbered::place)
            .number(n -> AdvisoryLocks.ofToken(n.request))
            .number(n -> AdvisoryLocks.ofKey(n.request));
    var pools =
        slots
            .from(names.next())
            .of(pinned.stream().map(LockAndRead::pool).distinct().toList())
            .text(Function.identity());
    var seats = slots.from(pools.next()).of(places).text(Place::pool).text(Place::item);
    var held =
        slots
            .from(seats.next())
            .of(pinned)
            .text(LockAndRead::pool)
            .text(r -> r.hold().toString())
            .number(r -> r.hold().fence().value());
    slots
        .from(held.next())
        .of(numbered())
        .number(Numbered::place)
        .text(n -> pool(n.request))
        .text(n -> n.request.hold().toString())
        .number(n -> n.request.hold().fence().value())
        .text(n -> n.request.caller())
        .bytes(n -> n.request.token().value())
        .text(n -> n.request.key())
        .bytes(n -> AuthorizationNonces.hashOf(n.request));
  }

  private record Numbered(long place, ConfirmRequest request) {}

  private List<Numbered> numbered() {
    return IntStream.range(0, requests.size())
        .mapToObj(i -> new Numbered(i + 1, requests.get(i)))
        .toList();
  }

  private record Place(String pool, String item) {}

  private static Stream<Place> places(ConfirmRequest request) {
    return request.intent() instanceof Pinned(var hold, _, _)
        ? hold.items().stream().map(item -> new Place(pool(request), item.value()))
        : Stream.empty();
  }

  private @Nullable LockedFacts facts(ResultSet row) throws SQLException {
    var place = row.getInt("place");
    var request = requests.get(place - 1);
    var hold = row.getString("state") == null ? null : HoldRows.record(row);
    if (!locked.get(place) || !isOurs(request, hold)) {
      return null;
    }
    return new LockedFacts(
        Columns.moment(row, "now").truncatedTo(ChronoUnit.MILLIS),
        epochs.get(pool(request)),
        row.getString("action") == null
            ? null
            : new LockedFacts.SpentToken(
                TokenAction.of(row.getString("action")),
                row.getString("digest"),
                OutcomeCodec.parse(row.getString("outcome"))),
        row.getString("target") == null
            ? null
            : new LockedFacts.Consumed(
                row.getString("target"), row.getString("order_id"), row.getString("owner_binding")),
        hold,
        row.getObject("passed", Boolean.class),
        row.getString("nonce_hold") == null ? null : nonce(row),
        itemsOf(request));
  }

  /// A row that is there, and was not when it was to be locked, is new or somebody else's. An item
  /// that was waited for in vain does not exist.
  private boolean isOurs(ConfirmRequest request, @Nullable HoldRecord row) {
    return !(request.intent() instanceof Pinned(var hold, _, _))
        || (row == null || holds.contains(request.hold().toString()))
            && (waits || itemsOf(request).size() == hold.items().size());
  }

  private List<LockedFacts.Item> itemsOf(ConfirmRequest request) {
    return request.intent() instanceof Pinned(var hold, _, _)
        ? hold.items().stream()
            .map(item -> items.get(pool(request) + "\n" + item))
            .filter(Objects::nonNull)
            .toList()
        : List.of();
  }

  private static LockedFacts.Item item(ResultSet row) throws SQLException {
    return new LockedFacts.Item(
        new ItemId(row.getString("item")),
        Status.valueOf(row.getString("status")),
        row.getLong("fence"),
        row.getString("holder"),
        row.getString("claim_until") == null ? null : Columns.moment(row, "claim_until"));
  }

  private static LockedFacts.Nonce nonce(ResultSet row) throws SQLException {
    return new LockedFacts.Nonce(
        row.getString("nonce_hold"),
        row.getString("operation"),
        Columns.moment(row, "not_before"),
        Columns.moment(row, "not_after"),
        row.getString("consumed_at") != null);
  }

  private static String pool(ConfirmRequest request) {
    return request.pool().name().value();
  }

  @FunctionalInterface
  private interface Row {
    void take(ResultSet row) throws SQLException;
  }

  private static void each(PreparedStatement statement, Row row) throws SQLException {
    try (var rows = statement.getResultSet()) {
      while (rows.next()) {
        row.take(rows);
      }
    }
  }
}
