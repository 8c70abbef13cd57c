package io.holdfast.commitment.claim;

import io.holdfast.events.Event;
import io.holdfast.events.EventType;
import io.holdfast.events.privacy.DataSubject;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.ArrayBinder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Builds the event of a voided sale from its commitments.
final class VoidedEventBuilder {
  private static final List<String> COMMITMENT =
      List.of(
          "commitmentId",
          "holdId",
          "pool",
          "fence",
          "caller",
          "requester",
          "orderId",
          "committedAt",
          "voidedAt",
          "reason");

  private final Map<String, @Nullable Object> commitment = new LinkedHashMap<>();
  private final List<Map<String, @Nullable Object>> items = new ArrayList<>();
  private long total;
  private String currency = "";
  private String caller = "";
  private String requester = "";
  private @Nullable Instant voidedAt;

  /// One voided item.
  void take(ResultSet row) throws SQLException {
    voidedAt = ArrayBinder.moment(row, "voided_at");
    caller = row.getString("caller");
    requester = row.getString("requester");
    currency = row.getString("currency");
    commitment.put("fence", row.getLong("fence"));
    commitment.put("caller", caller);
    commitment.put("requester", requester);
    commitment.put("orderId", row.getString("order_id"));
    commitment.put("committedAt", ArrayBinder.moment(row, "committed_at"));
    commitment.put("voidedAt", voidedAt);
    var item = new LinkedHashMap<String, @Nullable Object>();
    item.put("item", row.getString("item"));
    item.put("priceCents", row.getLong("price_cents"));
    items.add(item);
    total += row.getLong("price_cents");
  }

  /// Returns null if the sale has no commitments to void.
  @Nullable Instant voidedAt() {
    return voidedAt;
  }

  Event of(HoldId hold, String reason) {
    commitment.put("commitmentId", "cm~" + hold);
    commitment.put("holdId", hold.toString());
    commitment.put("pool", hold.pool().value());
    commitment.put("reason", reason);
    var data = new LinkedHashMap<String, @Nullable Object>();
    data.put(
        "commitment",
        Event.embedEntity(
            commitment, COMMITMENT, new DataSubject(caller, requester), Set.of("requester")));
    data.put("items", items);
    data.put("totalCents", total);
    data.put("currency", currency);
    return Event.createFatEvent(EventType.COMMITMENT_VOIDED, hold.pool(), hold.toString(), data);
  }
}
