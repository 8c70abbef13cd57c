package io.holdfast.commitment;

import io.holdfast.commitment.Intent.Pinned;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.HoldRows;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The first round trip of a transaction: locks what its requests could change, then reads what is
/// known about them. Tokens and logical keys come first, then items, then holds, each in one order
/// for all, so that nobody waits in a circle.
final class Reading {
  /// For as long as the transaction lasts. The planner knows little of tables that are small today
  /// and large in a minute; every look-up here has its index. Nor can it know that all batches are
  /// served by one plan: left to itself, it makes a new one for each.
  private static final String SETTINGS =
      """
      SELECT set_config('lock_timeout', ?, true), set_config('enable_seqscan', 'off', true),
             set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
             set_config('jit', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true);
      """;

  /// An epoch cannot rise while somebody sells in it, so a pin of an older one is known for what it
  /// is: Redis has begun anew, and its hold is plain again there.
  private static final String SHARE_POOLS =
      "SELECT pool, epoch FROM pool WHERE pool = ANY (?::text[]) ORDER BY pool FOR SHARE;";

  private static final String LOCK_ITEMS =
      """
      SELECT item.pool, item.item, item.status, item.fence, item.holder, item.price_cents
        FROM unnest(?::text[], ?::text[]) AS given (pool, item) JOIN item USING (pool, item)
       ORDER BY item.pool, item.item
         FOR UPDATE OF item %1$s;
      """;

  private static final String LOCK_HOLDS =
      """
      SELECT hold.hold_id
        FROM unnest(?::text[], ?::text[]) AS given (pool, hold_id) JOIN hold USING (pool, hold_id)
       ORDER BY hold.pool, hold.fence
         FOR UPDATE OF hold %1$s;
      """;

  private static final String FACTS =
      """
      SELECT hold.*, given.place, clock_timestamp() AS now,
             t.action, t.digest_function || ':' || t.digest AS digest, t.outcome,
             c.target, c.order_id, c.owner_binding, v.passed,
             n.hold_id AS nonce_hold, n.operation, n.not_before, n.not_after, n.consumed_at
        FROM unnest(?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[], ?::bytea[])
               WITH ORDINALITY AS given (pool, hold_id, caller, token, logical_key, nonce, place)
        LEFT JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
        LEFT JOIN token_result t
               ON t.pool = given.pool AND t.caller = given.caller AND t.token = given.token
              AND t.window_until > clock_timestamp()
        LEFT JOIN consumed_request c
               ON c.pool = given.pool AND c.caller = given.caller
              AND c.logical_key = given.logical_key
        LEFT JOIN verification v ON v.pool = given.pool AND v.hold_id = given.hold_id
        LEFT JOIN authorization_nonce n ON n.pool = given.pool AND n.nonce_hash = given.nonce
      """;

  private static final String TRYING =
      (SETTINGS + Locks.TRY + SHARE_POOLS + LOCK_ITEMS + LOCK_HOLDS).formatted("SKIP LOCKED")
          + FACTS;
  private static final String WAITING =
      (SETTINGS + Locks.WAIT + SHARE_POOLS + LOCK_ITEMS + LOCK_HOLDS).formatted("") + FACTS;

  private final Connection connection;
  private final List<Confirm> requests;
  private final boolean waits;
  private final Map<Integer, Boolean> locked = new HashMap<>();
  private final Map<String, Epoch> epochs = new HashMap<>();
  private final Map<String, Facts.Item> items = new HashMap<>();
  private final Set<String> holds = new HashSet<>();

  private Reading(Connection connection, List<Confirm> requests, boolean waits) {
    this.connection = connection;
    this.requests = requests;
    this.waits = waits;
  }

  /// What is known about each request; null if something of it is locked by somebody else.
  ///
  /// @param waits whether to wait for who has the locks
  /// @param lockMax how long to wait for any one lock, now and later in the transaction
  static List<@Nullable Facts> read(
      Connection connection, List<Confirm> requests, boolean waits, Duration lockMax)
      throws SQLException {
    try (var statement = connection.prepareStatement(waits ? WAITING : TRYING)) {
      return new Reading(connection, requests, waits).read(statement, lockMax);
    }
  }

  private List<@Nullable Facts> read(PreparedStatement statement, Duration lockMax)
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
    var facts = new Facts[requests.size()];
    each(statement, rows -> facts[rows.getInt("place") - 1] = facts(rows));
    return Arrays.asList(facts);
  }

  private void bind(PreparedStatement statement, Duration lockMax) throws SQLException {
    var pinned = requests.stream().filter(r -> r.intent() instanceof Pinned).toList();
    var places = pinned.stream().flatMap(Reading::places).distinct().toList();
    statement.setString(1, Long.toString(lockMax.toMillis()));
    var names =
        new Columns<>(connection, statement, 2, requests)
            .number(Locks::ofToken)
            .number(Locks::ofKey);
    var pools =
        new Columns<>(
                connection,
                statement,
                names.next(),
                pinned.stream().map(Reading::pool).distinct().toList())
            .text(Function.identity());
    var seats =
        new Columns<>(connection, statement, pools.next(), places)
            .text(Place::pool)
            .text(Place::item);
    var held =
        new Columns<>(connection, statement, seats.next(), pinned)
            .text(Reading::pool)
            .text(r -> r.hold().toString());
    new Columns<>(connection, statement, held.next(), requests)
        .text(Reading::pool)
        .text(r -> r.hold().toString())
        .text(Confirm::caller)
        .bytes(r -> r.token().value())
        .text(Confirm::key)
        .bytes(Nonces::hashOf);
  }

  private record Place(String pool, String item) {}

  private static Stream<Place> places(Confirm request) {
    return request.intent() instanceof Pinned(var hold, _, _)
        ? hold.items().stream().map(item -> new Place(pool(request), item.value()))
        : Stream.empty();
  }

  private @Nullable Facts facts(ResultSet row) throws SQLException {
    var place = row.getInt("place");
    var request = requests.get(place - 1);
    var hold = row.getString("state") == null ? null : HoldRows.record(row);
    if (!locked.get(place) || !isOurs(request, hold)) {
      return null;
    }
    return new Facts(
        Columns.moment(row, "now").truncatedTo(ChronoUnit.MILLIS),
        epochs.get(pool(request)),
        row.getString("action") == null
            ? null
            : new Facts.SpentToken(
                row.getString("action"), row.getString("digest"), row.getString("outcome")),
        row.getString("target") == null
            ? null
            : new Facts.Consumed(
                row.getString("target"), row.getString("order_id"), row.getString("owner_binding")),
        hold,
        row.getObject("passed", Boolean.class),
        row.getString("nonce_hold") == null ? null : nonce(row),
        itemsOf(request));
  }

  /// A row that is there, and was not when it was to be locked, is new or somebody else's. An item
  /// that was waited for in vain does not exist.
  private boolean isOurs(Confirm request, @Nullable HoldRecord row) {
    return !(request.intent() instanceof Pinned(var hold, _, _))
        || (row == null || holds.contains(request.hold().toString()))
            && (waits || itemsOf(request).size() == hold.items().size());
  }

  private List<Facts.Item> itemsOf(Confirm request) {
    return request.intent() instanceof Pinned(var hold, _, _)
        ? hold.items().stream()
            .map(item -> items.get(pool(request) + "\n" + item))
            .filter(Objects::nonNull)
            .toList()
        : List.of();
  }

  private static Facts.Item item(ResultSet row) throws SQLException {
    return new Facts.Item(
        new ItemId(row.getString("item")),
        Status.valueOf(row.getString("status")),
        row.getLong("fence"),
        row.getString("holder"),
        row.getLong("price_cents"));
  }

  private static Facts.Nonce nonce(ResultSet row) throws SQLException {
    return new Facts.Nonce(
        row.getString("nonce_hold"),
        row.getString("operation"),
        Columns.moment(row, "not_before"),
        Columns.moment(row, "not_after"),
        row.getString("consumed_at") != null);
  }

  private static String pool(Confirm request) {
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
