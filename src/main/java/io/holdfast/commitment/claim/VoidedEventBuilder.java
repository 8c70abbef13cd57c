package io.holdfast.commitment.claim;

import io.holdfast.commitment.claim.SaleReversals.Reason;
import io.holdfast.commitment.claim.SaleReversals.Refund;
import io.holdfast.events.Event;
import io.holdfast.events.EventType;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.subject.CallerText;
import io.holdfast.subject.DataSubject;
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
    commitment.put("orderId", order(row));
    commitment.put("committedAt", ArrayBinder.moment(row, "committed_at"));
    commitment.put("voidedAt", voidedAt);
    var item = new LinkedHashMap<String, @Nullable Object>();
    item.put("item", row.getString("item"));
    item.put("priceCents", row.getLong("price_cents"));
    items.add(item);
    total += row.getLong("price_cents");
  }

  /// The id of a checkout is no text of the caller; that its pool has the name of a requester is
  /// chance.
  private @Nullable String order(ResultSet row) throws SQLException {
    var order = row.getString("order_id");
    return row.getBoolean("is_of_checkout") ? order : CallerText.withoutName(order, requester);
  }

  /// The names of the voided items.
  List<String> items() {
    return items.stream().map(item -> (String) item.get("item")).toList();
  }

  /// The buyer, or nothing if there is no row.
  String requester() {
    return requester;
  }

  /// Returns null if the sale has no commitments to void.
  @Nullable Instant voidedAt() {
    return voidedAt;
  }

  /// @param remaining how many items of the sale are not voided
  Event of(HoldId hold, Reason reason, int remaining) {
    commitment.put("commitmentId", "cm~" + hold);
    commitment.put("holdId", hold.toString());
    commitment.put("pool", hold.pool().value());
    commitment.put("reason", reason.why());
    var data = new LinkedHashMap<String, @Nullable Object>();
    data.put(
        "commitment",
        Event.embedEntity(
            commitment, COMMITMENT, new DataSubject(caller, requester), Set.of("requester")));
    data.put("items", items);
    data.put("itemsRemaining", remaining);
    if (reason.refund() instanceof Refund(var kind, _, var cents)) {
      var refund = new LinkedHashMap<String, @Nullable Object>();
      refund.put("kind", kind);
      refund.put("amountCents", cents);
      refund.put("currency", currency);
      data.put("refund", refund);
    }
    data.put("totalCents", total);
    data.put("currency", currency);
    return Event.createFatEvent(EventType.COMMITMENT_VOIDED, hold.pool(), hold.toString(), data);
  }
}
