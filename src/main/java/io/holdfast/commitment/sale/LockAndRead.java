package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.StockLevel;
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
import io.holdfast.subject.DataSubject;
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
/// a circle: keys of persons, tokens and logical keys, pools, stocks, items, holds.
///
/// The share of a pool row keeps its epoch from rising until the transaction ends. A hold is looked
/// up by its fence as well as by its id, so that no plan takes the index of fences alone. Rows are
/// ordered by what was given: an index in that order would be scanned from its start.
public final class LockAndRead {
  private final List<ConfirmRequest> requests;
  private final boolean waits;
  private final Map<Integer, Boolean> locked = new HashMap<>();
  private final Set<Long> requesters = new HashSet<>();
  private final Map<String, Epoch> epochs = new HashMap<>();
  private final Map<String, Integer> limits = new HashMap<>();
  private final Map<Integer, Long> bought = new HashMap<>();
  private final Map<String, StockLevel> stocks = new HashMap<>();
  private final Map<String, Long> unitCents = new HashMap<>(); // by pool, of those with a stock
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
    try (var run =
        StatementRun.of(connection, waits ? LockStatements.WAIT : LockStatements.SKIP_LOCKED)) {
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
    var persons = pinned.stream().map(LockAndRead::person).distinct().toList();
    run.text(Long.toString(lockMax.toMillis()))
        .rows(persons, columns -> columns.bytes(DataSubject::hashText))
        .rows(persons, columns -> columns.bytes(DataSubject::hashText))
        .rows(
            numbered(),
            columns ->
                columns
                    .number(Numbered::place)
                    .number(n -> AdvisoryLocks.ofToken(n.request))
                    .number(n -> AdvisoryLocks.ofKey(n.request)))
        .rows(limited(), columns -> columns.number(n -> AdvisoryLocks.ofRequester(n.request)))
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
                    .text(n -> n.request.requester())
                    .bytes(n -> requester(n.request).hashText())
                    .bytes(n -> n.request.token().value())
                    .text(n -> n.request.key())
                    .text(n -> n.request.orderId())
                    .bytes(n -> n.request.nonceHash()))
        .rows(
            limited(),
            columns ->
                columns
                    .number(Numbered::place)
                    .text(n -> pool(n.request))
                    .text(n -> n.request.caller())
                    .text(n -> n.request.requester())
                    .text(n -> n.request.hold().toString()));
  }

  /// The pinned requests that a limit of items per requester may refuse: also those that run alone,
  /// because this instance may not know yet that their pool has one.
  private List<Numbered> limited() {
    return numbered().stream()
        .filter(n -> n.request.intent() instanceof Pinned)
        .filter(n -> waits || n.request.pool().policy().maxItemsPerRequester() != null)
        .toList();
  }

  private void take(StatementRun run) throws SQLException {
    run.skip().skip().skip(); // the settings, the new keys of persons, and the locked ones
    run.take(row -> locked.put(row.getInt(1), row.getBoolean(2)));
    run.take(row -> requesters.add(row.getLong(1)));
    run.take(
        row -> {
          epochs.put(row.getString(1), new Epoch(row.getLong(2)));
          limits.put(row.getString(1), row.getObject(3, Integer.class));
        });
    run.take(
        row -> {
          stocks.put(row.getString("pool"), StockLevel.of(row));
          unitCents.put(row.getString("pool"), row.getLong("price_cents"));
        });
    run.take(row -> items.put(row.getString(1) + "\n" + row.getString(2), item(row)));
    run.take(row -> holds.add(row.getString(1)));
    run.take(row -> facts[row.getInt("place") - 1] = facts(row));
    run.take(row -> bought.put(row.getInt(1), row.getLong(2)));
    for (var i = 0; i < facts.length; i++) {
      facts[i] = facts[i] == null ? null : limited(requests.get(i), facts[i], i + 1);
    }
  }

  /// Null if the pool has a limit and another transaction sells to the requester.
  private @Nullable LockedFacts limited(ConfirmRequest request, LockedFacts read, int place) {
    var most = limits.get(pool(request));
    if (most == null) {
      return read;
    }
    return requesters.contains(AdvisoryLocks.ofRequester(request))
        ? read.with(new LockedFacts.Allowance(most, bought.getOrDefault(place, 0L)))
        : null;
  }

  private record Numbered(long place, ConfirmRequest request) {}

  private List<Numbered> numbered() {
    return IntStream.range(0, requests.size())
        .mapToObj(i -> new Numbered(i + 1, requests.get(i)))
        .toList();
  }

  /// Whom the pinned hold is for. The row of the hold may have to be inserted.
  private static DataSubject person(ConfirmRequest request) {
    return request.intent() instanceof Pinned(var hold, _, _)
        ? HoldColumns.person(hold)
        : requester(request);
  }

  private static DataSubject requester(ConfirmRequest request) {
    return new DataSubject(request.caller(), request.requester());
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
                row.getString("target"),
                row.getBoolean("is_same_order"),
                row.getBoolean("is_owner")),
        hold,
        row.getObject("passed", Boolean.class),
        LockedFacts.Nonce.of(row),
        itemsOf(request),
        request.intent() instanceof Pinned ? stocks.get(pool(request)) : null,
        null);
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

  /// A unit that is free costs what the next claim gives it; it may have another price of before.
  private LockedFacts.@Nullable Item find(Pool pool, ItemId item) {
    var found = items.get(pool.name() + "\n" + item);
    if (!pool.kind().makesItems() || found != null && found.status() != Status.FREE) {
      return found;
    }
    var free = found == null ? LockedFacts.Item.free(item) : found;
    return free.costing(unitCents.getOrDefault(pool.name().value(), 0L));
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
        row.getString("claim_until") == null ? null : ArrayBinder.moment(row, "claim_until"),
        row.getLong("price_cents"));
  }

  private static String pool(ConfirmRequest request) {
    return request.pool().name().value();
  }
}
