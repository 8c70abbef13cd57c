package io.holdfast.events;

import io.holdfast.journal.store.JournalBatchListener;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.subject.DataSubject;
import io.holdfast.web.Metadata;
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

/// The events of holds. A sale always has an event. Placed, released and expired holds, of which
/// there are thousands a second, have events only while an enabled webhook subscribes to them; the
/// journal has all of them.
@Singleton
public final class HoldEvents implements JournalBatchListener {
  private static final List<String> HOLD_FIELDS =
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
          "endReason",
          "quantity",
          "metadata");

  /// A scalar sub-select looks up each hold by its full key, whatever the table statistics are.
  private static final String LIVE =
      """
      SELECT given.fence
        FROM (SELECT ?::text) AS asked (pool),
             (SELECT unnest(?::text[]) AS hold_id, unnest(?::bigint[]) AS fence) AS given
       WHERE (SELECT hold.state FROM hold
               WHERE hold.pool = asked.pool
                 AND hold.hold_id = given.hold_id
                 AND hold.fence = given.fence) = 'HELD'
      """;

  /// @param priceCents null if the item was not sold
  public record Item(ItemId item, @Nullable Long priceCents) {}

  /// Builds the event of a sale.
  ///
  /// @param freedQuantity units of the hold that were not sold; null if all were sold
  public static Event confirmed(
      PoolName pool,
      HoldRecord hold,
      List<Item> items,
      @Nullable Long freedQuantity,
      String currency,
      Order order) {
    var data = data(pool, hold, items);
    if (freedQuantity != null) {
      data.put("freedQuantity", freedQuantity);
    }
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

  /// The order that the sale belongs to.
  public record Order(String orderId, String logicalKey) {}

  /// Writes the event of a hold that was ended in Postgres rather than by a journal line, if a
  /// webhook subscribes to it.
  public static void insertEnded(Connection connection, PoolName pool, HoldRecord hold)
      throws SQLException {
    insertEnded(connection, pool, List.of(hold));
  }

  /// The same for many holds.
  public static void insertEnded(Connection connection, PoolName pool, List<HoldRecord> holds)
      throws SQLException {
    var subscribed = subscribedTypes(connection, pool);
    var events = new ArrayList<Event>();
    for (var hold : holds) {
      var type = type(hold.state());
      if (type != null && subscribed.contains(type.word())) {
        events.add(event(type, pool, hold));
      }
    }
    EventWriter.insert(connection, events);
  }

  /// Writes the events of a batch. A hold that was ended in Postgres before its line was stored is
  /// skipped: `insertEnded` has written its event.
  @Override
  public void onBatch(
      Connection connection, PoolName pool, List<JournalLine> lines, Set<Fence> written)
      throws SQLException {
    var subscribed = subscribedTypes(connection, pool);
    if (subscribed.isEmpty()) {
      return;
    }
    var live = claimedHolds(connection, pool, lines, written);
    var events = new ArrayList<Event>();
    for (var line : lines) {
      var hold = line.hold();
      var type = hold == null ? null : type(line.outcome());
      if (type != null
          && subscribed.contains(type.word())
          && (written.contains(hold.fence()) || live.contains(hold.fence()))) {
        events.add(event(type, pool, hold));
      }
    }
    EventWriter.insert(connection, events);
  }

  /// The placed holds that were in Postgres before the batch, because a checkout claimed them.
  private static Set<Fence> claimedHolds(
      Connection connection, PoolName pool, List<JournalLine> lines, Set<Fence> written)
      throws SQLException {
    var notWritten =
        lines.stream()
            .filter(line -> line.hold() != null && type(line.outcome()) == EventType.HOLD_PLACED)
            .map(JournalLine::hold)
            .filter(hold -> !written.contains(hold.fence()))
            .toList();
    var live = new HashSet<Fence>();
    if (!notWritten.isEmpty()) {
      try (var select = connection.prepareStatement(LIVE)) {
        select.setString(1, pool.value());
        new ArrayBinder<>(select, 2, notWritten)
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

  private static Set<String> subscribedTypes(Connection connection, PoolName pool)
      throws SQLException {
    var sql =
        """
        SELECT DISTINCT unnest(types) FROM webhook
         WHERE enabled AND (pools = '{}' OR ? = ANY (pools))
        """;
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      var types = new HashSet<String>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          types.add(rows.getString(1));
        }
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
      case StoredOutcome.OfTicket _ -> null;
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

  private static Event event(EventType type, PoolName pool, HoldRecord hold) {
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
    entity.put("quantity", hold.quantity());
    entity.put("metadata", Metadata.parse(hold.metadata()));
    var person = new DataSubject(hold.caller(), hold.requester());
    var data = new LinkedHashMap<String, @Nullable Object>();
    data.put(
        "hold", Event.embedEntity(entity, HOLD_FIELDS, person, Set.of("requester", "metadata")));
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
