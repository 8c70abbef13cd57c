package io.holdfast.events;

import io.holdfast.events.privacy.DataSubject;
import io.holdfast.journal.store.JournalBatchListener;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.ManyRows;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is told of holds. Sales are always told. That a hold was placed, released or expired is
/// told only while a webhook wants to know, since that happens thousands of times a second; who
/// registers later finds it in the journal.
@Singleton
public final class HoldEvents implements JournalBatchListener {
  private static final List<String> HOLD =
      List.of(
          "holdId",
          "pool",
          "state",
          "fence",
          "caller",
          "requester",
          "placedAt",
          "leaseUntil",
          "expiresAt",
          "endedAt",
          "endReason");

  /// One look-up by the full key for each hold, whatever the statistics of the table are.
  private static final String LIVE =
      ManyRows.text(
          """
          SELECT given.fence
            FROM (SELECT ?::text) AS asked (pool),
                 unnest(?::text[], ?::bigint[]) AS given (hold_id, fence)
           WHERE (SELECT hold.state FROM hold
                   WHERE hold.pool = asked.pool
                     AND hold.hold_id = given.hold_id
                     AND hold.fence = given.fence) = 'HELD'
          """);

  /// @param priceCents null where nothing was sold
  public record Item(ItemId item, @Nullable Long priceCents) {}

  /// The items of a hold are sold.
  public static Event confirmed(
      PoolName pool, HoldRecord hold, List<Item> items, String currency, Order order) {
    var data = data(pool, hold, items);
    data.put(
        "totalCents", items.stream().mapToLong(i -> i.priceCents == null ? 0 : i.priceCents).sum());
    data.put("currency", currency);
    var commitment = new LinkedHashMap<String, @Nullable Object>();
    commitment.put("orderId", order.orderId);
    commitment.put("commitmentId", "cm~" + hold.id(pool));
    commitment.put("logicalKey", order.logicalKey);
    commitment.put("committedAt", hold.endedAt());
    data.put("order", commitment);
    return event(EventType.HOLD_CONFIRMED, pool, hold, data);
  }

  /// What the sale is for.
  public record Order(String orderId, String logicalKey) {}

  /// Tells of a hold that was ended otherwise than by its journal, if anybody wants to know.
  public static void ended(Connection connection, PoolName pool, HoldRecord hold)
      throws SQLException {
    var type = type(hold.state());
    if (type != null && wanted(connection).contains(type.word())) {
      EventWriter.insert(connection, List.of(plain(type, pool, hold)));
    }
  }

  /// A hold that somebody else has ended before its line arrived is told by that end, which carries
  /// all of it.
  @Override
  public void brought(
      Connection connection, PoolName pool, List<JournalLine> lines, Set<Fence> written)
      throws SQLException {
    var wanted = wanted(connection);
    if (wanted.isEmpty()) {
      return;
    }
    var live = stillHeld(connection, pool, lines, written);
    var events = new ArrayList<Event>();
    for (var line : lines) {
      var hold = line.hold();
      var type = hold == null ? null : type(line.outcome());
      if (type != null
          && wanted.contains(type.word())
          && (written.contains(hold.fence()) || live.contains(hold.fence()))) {
        events.add(plain(type, pool, hold));
      }
    }
    EventWriter.insert(connection, events);
  }

  /// Placed, and on record already since a checkout has claimed it.
  private static Set<Fence> stillHeld(
      Connection connection, PoolName pool, List<JournalLine> lines, Set<Fence> written)
      throws SQLException {
    var others =
        lines.stream()
            .filter(line -> line.hold() != null && type(line.outcome()) == EventType.HOLD_PLACED)
            .map(JournalLine::hold)
            .filter(hold -> !written.contains(hold.fence()))
            .toList();
    var live = new HashSet<Fence>();
    if (!others.isEmpty()) {
      try (var select = connection.prepareStatement(LIVE)) {
        select.setString(1, pool.value());
        new Columns<>(connection, select, 2, others)
            .text(hold -> hold.id(pool).toString())
            .number(hold -> hold.fence().value());
        try (var rows = select.executeQuery()) {
          while (rows.next()) {
            live.add(new Fence(rows.getLong(1)));
          }
        }
      }
    }
    return live;
  }

  private static Set<String> wanted(Connection connection) throws SQLException {
    var sql = "SELECT DISTINCT unnest(types) FROM webhook WHERE enabled";
    try (var select = connection.prepareStatement(sql);
        var rows = select.executeQuery()) {
      var types = new HashSet<String>();
      while (rows.next()) {
        types.add(rows.getString(1));
      }
      return types;
    }
  }

  /// Null for outcomes without an event of their own: a sale writes its event itself.
  private static @Nullable EventType type(@Nullable StoredOutcome outcome) {
    return switch (outcome) {
      case StoredOutcome.Held _ -> EventType.HOLD_PLACED;
      case StoredOutcome.Released _ -> EventType.HOLD_RELEASED;
      case StoredOutcome.Expired _ -> EventType.HOLD_EXPIRED;
      case StoredOutcome.Same _, StoredOutcome.Confirmed _, StoredOutcome.Refusal _ -> null;
      case null -> null;
    };
  }

  private static @Nullable EventType type(HoldState state) {
    return switch (state) {
      case HELD -> EventType.HOLD_PLACED;
      case RELEASED -> EventType.HOLD_RELEASED;
      case EXPIRED -> EventType.HOLD_EXPIRED;
      case CONFIRMED -> null;
    };
  }

  private static Event plain(EventType type, PoolName pool, HoldRecord hold) {
    var items = hold.items().stream().map(item -> new Item(item, null)).toList();
    return event(type, pool, hold, data(pool, hold, items));
  }

  private static Event event(
      EventType type, PoolName pool, HoldRecord hold, Map<String, @Nullable Object> data) {
    return Event.createFatEvent(type, pool, hold.id(pool).toString(), data);
  }

  private static Map<String, @Nullable Object> data(
      PoolName pool, HoldRecord hold, List<Item> items) {
    var entity = new LinkedHashMap<String, @Nullable Object>();
    entity.put("holdId", hold.id(pool).toString());
    entity.put("pool", pool.value());
    entity.put("state", hold.state().name());
    entity.put("fence", hold.fence().value());
    entity.put("caller", hold.caller());
    entity.put("requester", hold.requester());
    entity.put("placedAt", hold.placedAt());
    entity.put("leaseUntil", hold.leaseUntil());
    entity.put("expiresAt", hold.expiresAt());
    entity.put("endedAt", hold.endedAt());
    entity.put("endReason", hold.endReason() == null ? null : hold.endReason().name());
    var person = new DataSubject(hold.caller(), hold.requester());
    var data = new LinkedHashMap<String, @Nullable Object>();
    data.put("hold", Event.embedEntity(entity, HOLD, person, Set.of("requester")));
    data.put("items", items.stream().map(HoldEvents::item).toList());
    return data;
  }

  private static Map<String, @Nullable Object> item(Item item) {
    var entity = new LinkedHashMap<String, @Nullable Object>();
    entity.put("item", item.item.value());
    entity.put("priceCents", item.priceCents);
    return entity;
  }
}
