package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The body of a request for a new pool. Invalid fields are refused with `InvalidField`.
record PoolRequest(Pool pool, List<CatalogueItem> items) {
  private static final int ITEMS_MAX = 100_000;
  private static final int COORDINATE_MAX = 1_000_000;
  private static final long PRICE_MAX = 1_000_000_000_000L;
  private static final long SECONDS_MAX = 1_000_000_000L;

  /// @param slowestRetry the shortest allowed idempotency window
  static PoolRequest read(JsonFields fields, Duration slowestRetry) {
    var name = fields.text("pool");
    if (!PoolName.isName(name)) {
      throw fields.invalid("pool", "has to be 1 to 64 of A-Z a-z 0-9 . _ -");
    }
    var kind = fields.text("kind");
    if (!kind.equals(PoolKind.SEATS.name())) {
      throw fields.invalid("kind", "has to be SEATS, the only supported kind");
    }
    var items = items(fields.objects("items", ITEMS_MAX));
    var policy = policy(fields.optionalObject("policy"));
    fields.refuseOthers();
    if (policy.idempotencyWindow().compareTo(slowestRetry) < 0) {
      throw new InvalidField(
          "policy.idempotencyWindowSeconds",
          "A retry may arrive %d s later here, so the idempotency window cannot be shorter."
              .formatted(slowestRetry.toSeconds()));
    }
    var pool = Pool.fresh(new PoolName(name), PoolKind.SEATS, policy, items.size(), null);
    return new PoolRequest(pool, items);
  }

  private static List<CatalogueItem> items(List<JsonFields> objects) {
    var items = new ArrayList<CatalogueItem>(objects.size());
    var names = new HashSet<String>(2 * objects.size());
    for (var fields : objects) {
      var item = item(fields);
      if (!names.add(item.item().value())) {
        throw fields.invalid("item", "repeats an earlier one");
      }
      items.add(item);
    }
    return items;
  }

  private static CatalogueItem item(JsonFields fields) {
    var number = fields.optionalWhole("number", 0, Integer.MAX_VALUE);
    var item =
        new CatalogueItem(
            new ItemId(fields.text("item")),
            fields.optionalText("section"),
            fields.optionalText("row"),
            number == null ? null : number.intValue(),
            fields.optionalReal("x", COORDINATE_MAX),
            fields.optionalReal("y", COORDINATE_MAX),
            fields.whole("priceCents", 0, PRICE_MAX, 0));
    fields.refuseOthers();
    return item;
  }

  private static PoolPolicy policy(@Nullable JsonFields fields) {
    if (fields == null) {
      return PoolPolicy.of(PoolKind.SEATS);
    }
    var asked =
        new PoolPolicy.Wishes(
            seconds(fields, "leaseSeconds"),
            seconds(fields, "windowSeconds"),
            seconds(fields, "heartbeatSeconds"),
            count(fields, "maxItemsPerHold"),
            count(fields, "maxHoldsPerRequester"),
            seconds(fields, "idempotencyWindowSeconds"),
            fields.optionalText("currency"),
            fields.has("requireNonce") ? fields.flag("requireNonce", false) : null,
            fields.has("waitingRoom") ? fields.flag("waitingRoom", false) : null);
    fields.refuseOthers();
    if (Boolean.TRUE.equals(asked.waitingRoom())) {
      throw fields.invalid("waitingRoom", "has to be false, the waiting room is not supported");
    }
    try {
      return PoolPolicy.of(PoolKind.SEATS, asked);
    } catch (IllegalArgumentException e) { // the message starts with the name of the field
      var sentence = e.getMessage();
      throw new InvalidField(
          "policy." + sentence.substring(0, sentence.indexOf(' ')),
          "In the policy, " + sentence + ".");
    }
  }

  private static @Nullable Long seconds(JsonFields fields, String name) {
    return fields.optionalWhole(name, 0, SECONDS_MAX);
  }

  private static @Nullable Integer count(JsonFields fields, String name) {
    var count = fields.optionalWhole(name, 0, Integer.MAX_VALUE);
    return count == null ? null : count.intValue();
  }
}
