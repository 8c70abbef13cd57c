package io.holdfast.change;

import io.holdfast.catalogue.PoolChanges.NewPrice;
import io.holdfast.catalogue.PoolRequest;
import io.holdfast.pool.Pool;
import io.holdfast.pool.Pool.SalesTimes;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Timestamp;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The body of a change of a pool. Absent fields stay as they are.
@Introspected
@Schema(name = "PoolChange", description = "An absent field stays as it is.")
record PoolChangeBody(
    @Schema(
            description =
                "Fields of the policy. They count for new holds; running holds keep their times."
                    + " The currency, the order and the opening of a raffle cannot be changed.")
        PoolRequest.@Nullable NewPolicy policy,
    @Min(0)
        @Max(CAPACITY_MAX)
        @Schema(description = "Of STOCK: how many units the pool has from now on.")
        @Nullable Long capacity,
    @Size(min = 1, max = 64)
        @Schema(
            description =
                "No hold is placed before: a time of RFC 3339 from 1970 to 9999, or `none` for no"
                    + " limit.")
        @Nullable String salesFrom,
    @Size(min = 1, max = 64)
        @Schema(
            description =
                "No hold is placed from then on: a time of RFC 3339 from 1970 to 9999, or `none`"
                    + " for no limit.")
        @Nullable String salesUntil,
    @Schema(description = "Whether the sale is stopped. Holds that are placed already go on.")
        @Nullable Boolean closed,
    @Min(0) @Max(PRICE_MAX) @Schema(description = "Of STOCK: what a unit costs from now on.")
        @Nullable Long priceCents,
    @Size(min = 1, max = 1_000)
        @Schema(
            description =
                "Of SEATS: new prices. The price of an item wins over that of its section, and a"
                    + " later one over an earlier one of the same item or section. Items that are"
                    + " sold, or claimed by a checkout, keep theirs.")
        @Nullable List<Price> prices) {
  static final long CAPACITY_MAX = 1_000_000_000L;
  static final long PRICE_MAX = 1_000_000_000_000L;

  private static final BodyReader<PoolChangeBody> READER = BodyReader.of(PoolChangeBody.class);
  private static final String NO_LIMIT = "none";

  @Introspected
  @Schema(name = "PriceChange", description = "Names an item or a section.")
  record Price(
      @Size(min = 1, max = 128) @Nullable String item,
      @Size(min = 1, max = 128) @Schema(description = "All items of this section.")
          @Nullable String section,
      @Min(0) @Max(PRICE_MAX) long priceCents) {}

  /// Refuses with `InvalidField` what the kind of the pool does not allow.
  static PoolChangeBody read(JsonFields fields, PoolKind kind) {
    var body = READER.read(fields);
    refuseUnless(kind == PoolKind.STOCK, "capacity", body.capacity, "STOCK");
    refuseUnless(kind == PoolKind.STOCK, "priceCents", body.priceCents, "STOCK");
    refuseUnless(kind == PoolKind.SEATS, "prices", body.prices, "SEATS");
    if (body.prices != null) {
      for (var i = 0; i < body.prices.size(); i++) {
        var price = body.prices.get(i);
        if ((price.item == null) == (price.section == null)) {
          throw InvalidField.of("prices[" + i + "]", "has to name either an item or a section");
        }
      }
    }
    if (body.hasNothing()) {
      throw new InvalidField(null, "The body names nothing to change.");
    }
    return body;
  }

  private static void refuseUnless(
      boolean isOfKind, String field, @Nullable Object value, String kind) {
    if (!isOfKind && value != null) {
      throw InvalidField.of(field, "is allowed for pools of the kind " + kind + " only");
    }
  }

  private boolean hasNothing() {
    return policy == null
        && capacity == null
        && salesFrom == null
        && salesUntil == null
        && closed == null
        && priceCents == null
        && prices == null;
  }

  /// The pool with the changed rules.
  ///
  /// @param slowestRetry the shortest allowed idempotency window
  Pool appliedTo(Pool pool, Duration slowestRetry) {
    return pool.with(
        policy == null ? pool.policy() : policy.appliedTo(pool, slowestRetry),
        sales(pool.sales()),
        priceCents == null ? pool.priceCents() : priceCents);
  }

  private SalesTimes sales(SalesTimes now) {
    var from = time("salesFrom", salesFrom, now.from());
    var until = time("salesUntil", salesUntil, now.until());
    if (from != null && until != null && !from.isBefore(until)) {
      throw InvalidField.of("salesUntil", "has to be later than salesFrom");
    }
    return new SalesTimes(from, until, closed == null ? now.isClosed() : closed);
  }

  private static @Nullable Instant time(
      String field, @Nullable String given, @Nullable Instant now) {
    if (given == null) {
      return now;
    }
    if (given.equals(NO_LIMIT)) {
      return null;
    }
    return Timestamp.read(given)
        .orElseThrow(
            () ->
                InvalidField.of(
                    field,
                    "has to be a time such as 2030-01-31T18:00:00Z, from 1970 to 9999; none removes"
                        + " the limit"));
  }

  List<NewPrice> newPrices() {
    return prices == null
        ? List.of()
        : prices.stream().map(p -> new NewPrice(p.item, p.section, p.priceCents)).toList();
  }

  /// The items that get a price of their own.
  List<String> pricedItems() {
    return newPrices().stream().map(NewPrice::item).filter(Objects::nonNull).distinct().toList();
  }

  /// Whether Redis has to be loaded again: it counts what requesters have only in a pool with a
  /// limit, and it keeps tokens by the window of the pool.
  static boolean isReloadedFor(PoolPolicy before, PoolPolicy after) {
    return before.maxItemsPerRequester() == null && after.maxItemsPerRequester() != null
        || !before.idempotencyWindow().equals(after.idempotencyWindow());
  }
}
