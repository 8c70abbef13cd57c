package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.StockLevel;
import io.holdfast.commitment.authorization.AuthorizationNonces;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
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

/// The first round trip of the careful path: locks what the requests can change, then reads the
/// facts on which `ConfirmRules` decides. All transactions lock in one order, so that none waits in
/// a circle: tokens and logical keys, pools, stocks, items, holds.
///
/// The share of a pool row keeps its epoch from rising until the transaction ends. A hold is looked
/// up by its fence as well as by its id, so that no plan takes the index of fences alone. Rows are
/// ordered by what was given: an index in that order would be scanned from its start.
public final class LockAndRead {
  /// Leaves out rows that another transaction has locked.
  private static final String SKIP_LOCKED =
      """
      SELECT set_config('lock_timeout', ?, true), set_config('enable_seqscan', 'off', true),
             set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             set_config('jit', 'off', true);
      SELECT place, pg_try_advisory_xact_lock(token_lock) AND pg_try_advisory_xact_lock(key_lock)
        FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::bigint[]) AS token_lock,
                     unnest(?::bigint[]) AS key_lock) AS given;
      SELECT pool, epoch FROM pool WHERE pool = ANY (?::text[]) ORDER BY pool FOR SHARE;
      SELECT pool, ARRAY[version, capacity, sold, claimed] AS stock_level
        FROM stock WHERE pool = ANY (?::text[]) ORDER BY pool FOR UPDATE SKIP LOCKED;
      SELECT item.pool, item.item, item.status, item.fence, item.holder, item.claim_until
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS item) AS given
        JOIN item ON item.pool = given.pool AND item.item = given.item
       ORDER BY given.pool, given.item
         FOR UPDATE OF item SKIP LOCKED;
      SELECT hold.hold_id
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                     unnest(?::bigint[]) AS fence) AS given
        JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                 AND hold.fence = given.fence
       ORDER BY given.pool, given.fence
         FOR UPDATE OF hold SKIP LOCKED;
      SELECT hold.*, given.place, clock_timestamp() AS now,
             t.action, t.digest_function || ':' || t.digest AS digest, t.outcome,
             c.target, c.order_id, c.owner_binding, v.passed,
             n.hold_id AS nonce_hold, n.operation, n.not_before, n.not_after, n.consumed_at
        FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::text[]) AS pool,
                     unnest(?::text[]) AS hold_id, unnest(?::bigint[]) AS fence,
                     unnest(?::text[]) AS caller, unnest(?::bytea[]) AS token,
                     unnest(?::text[]) AS logical_key, unnest(?::bytea[]) AS nonce) AS given
        LEFT JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                      AND hold.fence = given.fence
        LEFT JOIN token_result t
               ON t.pool = given.pool AND t.caller = given.caller AND t.token = given.token
              AND t.window_until > clock_timestamp()
        LEFT JOIN consumed_request c
               ON c.pool = given.pool AND c.caller = given.caller
              AND c.logical_key = given.logical_key
        LEFT JOIN verification v ON v.pool = given.pool AND v.hold_id = given.hold_id
        LEFT JOIN authorization_nonce n ON n.pool = given.pool AND n.nonce_hash = given.nonce
      """;

  /// Waits for the locks of other transactions.
  private static final String WAIT =
      """
      SELECT set_config('lock_timeout', ?, true), set_config('enable_seqscan', 'off', true),
             set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             set_config('jit', 'off', true);
      SELECT place, pg_advisory_xact_lock(token_lock) IS NOT NULL
                    AND pg_advisory_xact_lock(key_lock) IS NOT NULL
        FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::bigint[]) AS token_lock,
                     unnest(?::bigint[]) AS key_lock) AS given;
      SELECT pool, epoch FROM pool WHERE pool = ANY (?::text[]) ORDER BY pool FOR SHARE;
      SELECT pool, ARRAY[version, capacity, sold, claimed] AS stock_level
        FROM stock WHERE pool = ANY (?::text[]) ORDER BY pool FOR UPDATE;
      SELECT item.pool, item.item, item.status, item.fence, item.holder, item.claim_until
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS item) AS given
        JOIN item ON item.pool = given.pool AND item.item = given.item
       ORDER BY given.pool, given.item
         FOR UPDATE OF item;
      SELECT hold.hold_id
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                     unnest(?::bigint[]) AS fence) AS given
        JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                 AND hold.fence = given.fence
       ORDER BY given.pool, given.fence
         FOR UPDATE OF hold;
      SELECT hold.*, given.place, clock_timestamp() AS now,
             t.action, t.digest_function || ':' || t.digest AS digest, t.outcome,
             c.target, c.order_id, c.owner_binding, v.passed,
             n.hold_id AS nonce_hold, n.operation, n.not_before, n.not_after, n.consumed_at
        FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::text[]) AS pool,
                     unnest(?::text[]) AS hold_id, unnest(?::bigint[]) AS fence,
                     unnest(?::text[]) AS caller, unnest(?::bytea[]) AS token,
                     unnest(?::text[]) AS logical_key, unnest(?::bytea[]) AS nonce) AS given
        LEFT JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                      AND hold.fence = given.fence
        LEFT JOIN token_result t
               ON t.pool = given.pool AND t.caller = given.caller AND t.token = given.token
              AND t.window_until > clock_timestamp()
        LEFT JOIN consumed_request c
               ON c.pool = given.pool AND c.caller = given.caller
              AND c.logical_key = given.logical_key
        LEFT JOIN verification v ON v.pool = given.pool AND v.hold_id = given.hold_id
        LEFT JOIN authorization_nonce n ON n.pool = given.pool AND n.nonce_hash = given.nonce
      """;

  private final List<ConfirmRequest> requests;
  private final boolean waits;
  private final Map<Integer, Boolean> locked = new HashMap<>();
  private final Map<String, Epoch> epochs = new HashMap<>();
  private final Map<String, StockLevel> stocks = new HashMap<>();
  private final Map<String, LockedFacts.Item> items = new HashMap<>();
  private final Set<String> holds = new HashSet<>();
  private final LockedFacts[] facts;

  private LockAndRead(List<ConfirmRequest> requests, boolean waits) {
    this.requests = requests;
    this.waits = waits;
    this.facts = new LockedFacts[requests.size()];
  }

  /// Returns the facts of each request, or null for a request whose rows another transaction has
  /// locked.
  ///
  /// @param waits whether to wait for locks of other transactions
  /// @param lockMax how long to wait for any one lock, now and later in the transaction
  public static List<@Nullable LockedFacts> read(
      Connection connection, List<ConfirmRequest> requests, boolean waits, Duration lockMax)
      throws SQLException {
    var reading = new LockAndRead(requests, waits);
    try (var run = StatementRun.of(connection, waits ? WAIT : SKIP_LOCKED)) {
      reading.bind(run, lockMax);
      reading.take(run.execute());
      return Arrays.asList(reading.facts);
    }
  }

  private void bind(StatementRun run, Duration lockMax) throws SQLException {
    var pinned = requests.stream().filter(r -> r.intent() instanceof Pinned).toList();
    var pools = pinned.stream().map(LockAndRead::pool).distinct().toList();
    var stocks =
        pinned.stream().filter(LockAndRead::hasStock).map(LockAndRead::pool).distinct().toList();
    var places = pinned.stream().flatMap(LockAndRead::places).distinct().toList();
    run.text(Long.toString(lockMax.toMillis()))
        .rows(
            numbered(),
            columns ->
                columns
                    .number(Numbered::place)
                    .number(n -> AdvisoryLocks.ofToken(n.request))
                    .number(n -> AdvisoryLocks.ofKey(n.request)))
        .rows(pools, columns -> columns.text(Function.identity()))
        .rows(stocks, columns -> columns.text(Function.identity()))
        .rows(places, columns -> columns.text(Place::pool).text(Place::item))
        .rows(
            pinned,
            columns ->
                columns
                    .text(LockAndRead::pool)
                    .text(r -> r.hold().toString())
                    .number(r -> r.hold().fence().value()))
        .rows(
            numbered(),
            columns ->
                columns
                    .number(Numbered::place)
                    .text(n -> pool(n.request))
                    .text(n -> n.request.hold().toString())
                    .number(n -> n.request.hold().fence().value())
                    .text(n -> n.request.caller())
                    .bytes(n -> n.request.token().value())
                    .text(n -> n.request.key())
                    .bytes(n -> AuthorizationNonces.hashOf(n.request)));
  }

  private void take(StatementRun run) throws SQLException {
    run.skip(); // the settings
    run.take(row -> locked.put(row.getInt(1), row.getBoolean(2)));
    run.take(row -> epochs.put(row.getString(1), new Epoch(row.getLong(2))));
    run.take(row -> stocks.put(row.getString("pool"), StockLevel.of(row)));
    run.take(row -> items.put(row.getString(1) + "\n" + row.getString(2), item(row)));
    run.take(row -> holds.add(row.getString(1)));
    run.take(row -> facts[row.getInt("place") - 1] = facts(row));
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
        ArrayBinder.moment(row, "now").truncatedTo(ChronoUnit.MILLIS),
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
        itemsOf(request),
        request.intent() instanceof Pinned ? stocks.get(pool(request)) : null);
  }

  /// A hold row that was not there to be locked is new, or another transaction has locked it. A row
  /// that is missing after waiting does not exist. Only the hold itself can change its units, and
  /// two holds of one value follow each other.
  private boolean isOurs(ConfirmRequest request, @Nullable HoldRecord row) {
    return !(request.intent() instanceof Pinned(var hold, _, _))
        || (row == null || holds.contains(request.hold().toString()))
            && (waits || itemsOf(request).size() == hold.items().size())
            && (!hasStock(request) || stocks.containsKey(pool(request)));
  }

  private List<LockedFacts.Item> itemsOf(ConfirmRequest request) {
    return request.intent() instanceof Pinned(var hold, _, _)
        ? hold.items().stream()
            .map(item -> find(request.pool(), item))
            .filter(Objects::nonNull)
            .toList()
        : List.of();
  }

  private LockedFacts.@Nullable Item find(Pool pool, ItemId item) {
    var found = items.get(pool.name() + "\n" + item);
    return found == null && pool.kind().makesItems() ? LockedFacts.Item.free(item) : found;
  }

  private static boolean hasStock(ConfirmRequest request) {
    return request.pool().kind() == PoolKind.STOCK;
  }

  private static LockedFacts.Item item(ResultSet row) throws SQLException {
    return new LockedFacts.Item(
        new ItemId(row.getString("item")),
        Status.valueOf(row.getString("status")),
        row.getLong("fence"),
        row.getString("holder"),
        row.getString("claim_until") == null ? null : ArrayBinder.moment(row, "claim_until"));
  }

  private static LockedFacts.Nonce nonce(ResultSet row) throws SQLException {
    return new LockedFacts.Nonce(
        row.getString("nonce_hold"),
        row.getString("operation"),
        ArrayBinder.moment(row, "not_before"),
        ArrayBinder.moment(row, "not_after"),
        row.getString("consumed_at") != null);
  }

  private static String pool(ConfirmRequest request) {
    return request.pool().name().value();
  }
}
