package io.holdfast.catalogue;

import io.holdfast.pool.AuctionTerms;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.pool.WaitingRoom;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Timestamp;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A pool to create, made of the body of the request.
public record PoolRequest(Pool pool, List<CatalogueItem> items) {
  private static final BodyReader<NewPool> READER = BodyReader.of(NewPool.class);
  private static final int COORDINATE_MAX = 1_000_000;
  private static final long CAPACITY_MAX = 1_000_000_000L;
  private static final long PRICE_MAX = 1_000_000_000_000L;
  private static final long SECONDS_MAX = 1_000_000_000L;

  /// The body of the request.
  @Introspected
  @Schema(name = "NewPool")
  record NewPool(
      @Pattern(
              regexp = "^[A-Za-z0-9._-]{1,64}$",
              message = "has to be 1 to 64 of A-Z a-z 0-9 . _ -")
          @Schema(description = "The name of the pool.")
          String pool,
      @Pattern(
              regexp = "^(SEATS|STOCK|UNIQUE|AUCTION)$",
              message = "has to be SEATS, STOCK, UNIQUE or AUCTION")
          @Schema(description = "`SEATS`, `STOCK`, `UNIQUE` or `AUCTION`.")
          String kind,
      @Size(min = 1, max = 100_000)
          @Schema(description = "Of SEATS, and required there. No two have the same name.")
          @Nullable List<NewItem> items,
      @Min(1)
          @Max(CAPACITY_MAX)
          @Schema(description = "Of STOCK, and required there: how many units there are.")
          @Nullable Long capacity,
      @Min(0) @Max(PRICE_MAX) @Schema(description = "Of STOCK: what a unit costs. Default: 0.")
          @Nullable Long priceCents,
      @Size(min = 1, max = 64)
          @Schema(
              description =
                  "Of AUCTION, and required there: when bidding ends, RFC 3339, at most a year"
                      + " ahead.")
          @Nullable String closesAt,
      @Min(0)
          @Max(AuctionTerms.CENTS_MAX)
          @Schema(description = "Of AUCTION, and required there: a lower bid does not win.")
          @Nullable Long reserveCents,
      @Nullable NewPolicy policy) {}

  @Introspected
  @Schema(name = "NewItem")
  public record NewItem(
      @Size(min = 1, max = 128) @Schema(description = "The name of the item in its pool.")
          String item,
      @Size(min = 1, max = 128) @Nullable String section,
      @Size(min = 1, max = 128) @Nullable String row,
      @Min(0) @Schema(description = "The position in the row.") @Nullable Integer number,
      @Min(-COORDINATE_MAX) @Max(COORDINATE_MAX) @Schema(description = "The place on the seat map.")
          @Nullable Double x,
      @Min(-COORDINATE_MAX) @Max(COORDINATE_MAX) @Schema(description = "The place on the seat map.")
          @Nullable Double y,
      @Min(0) @Max(PRICE_MAX) @Schema(description = "Default: 0.") @Nullable Long priceCents) {}

  @Introspected
  @Schema(name = "NewPoolPolicy", description = "An absent field has the default of the kind.")
  public record NewPolicy(
      @Min(0) @Max(SECONDS_MAX) @Schema(description = "How long a hold lasts without a heartbeat.")
          @Nullable Long leaseSeconds,
      @Min(0) @Max(SECONDS_MAX) @Schema(description = "How long a hold lasts at most.")
          @Nullable Long windowSeconds,
      @Min(0) @Max(SECONDS_MAX) @Schema(description = "How often holders send a heartbeat.")
          @Nullable Long heartbeatSeconds,
      @Min(0) @Nullable Integer maxItemsPerHold,
      @Min(0) @Nullable Integer maxHoldsPerRequester,
      @Min(0)
          @Max(SECONDS_MAX)
          @Schema(
              description =
                  "How long the outcome of an Idempotency-Key of a hold is kept. Default: 600.")
          @Nullable Long idempotencyWindowSeconds,
      @Min(0)
          @Max(SECONDS_MAX)
          @Schema(
              description =
                  "How long that of a confirm, of a checkout and of their reversals is kept."
                      + " Default: 86400.")
          @Nullable Long commitWindowSeconds,
      @Size(min = 1, max = 128) @Schema(description = "Three capital letters, such as EUR.")
          @Nullable String currency,
      @Schema(description = "Whether a sale needs a nonce of /v1/authorizations.")
          @Nullable Boolean requireNonce,
      @Schema(description = "Whether holds need a pass of the waiting room. SEATS and STOCK only.")
          @Nullable Boolean waitingRoom,
      @Min(0)
          @Schema(
              description =
                  "How many tickets of the waiting room are admitted in a minute. Default: 0, they"
                      + " are admitted by maxInside or by POST /v1/pools/{pool}/admissions.")
          @Nullable Integer admissionsPerMinute,
      @Min(0)
          @Schema(description = "How many admitted requesters may be inside. Default: 0, no limit.")
          @Nullable Integer maxInside,
      @Min(0)
          @Max(SECONDS_MAX)
          @Schema(
              description =
                  "How long a ticket keeps its place without a sign of life. Default: 120.")
          @Nullable Long graceSeconds,
      @Min(0) @Max(SECONDS_MAX) @Schema(description = "How long a pass is valid. Default: 300.")
          @Nullable Long passSeconds,
      @Pattern(regexp = "^(FIFO|RAFFLE)$", message = "has to be FIFO or RAFFLE")
          @Schema(description = "The order of tickets that join before opensAt. Default: FIFO.")
          @Nullable String order,
      @Size(min = 1, max = 64)
          @Schema(
              description = "Nobody is admitted before; RFC 3339. Required for RAFFLE.",
              format = "date-time")
          @Nullable String opensAt,
      @Pattern(regexp = "^(MANUAL|AUTOMATIC)$", message = "has to be MANUAL or AUTOMATIC")
          @Schema(
              description =
                  "Whether the service by itself reverses a sale that failed its verification."
                      + " Default: MANUAL.")
          @Nullable String compensate,
      @Min(0)
          @Schema(
              description =
                  "How many items or units a requester may have here, held and bought together."
                      + " Default: 0, no limit. Not of AUCTION.")
          @Nullable Integer maxItemsPerRequester,
      @Min(0)
          @Max(PRICE_MAX)
          @Schema(description = "What is kept of each item of a sale that is voided. Default: 0.")
          @Nullable Long refundFeeCents,
      @Min(0)
          @Max(SECONDS_MAX)
          @Schema(
              description = "How long after its sale an item is refunded. Default: 0, no limit.")
          @Nullable Long refundWithinSeconds) {

    /// The policy of a pool with these values changed. Refuses with `InvalidField` what cannot be
    /// changed.
    ///
    /// @param slowestRetry the shortest allowed idempotency window
    public PoolPolicy appliedTo(Pool pool, Duration slowestRetry) {
      return checked(slowestRetry, () -> PoolPolicy.of(pool.kind(), over(pool.policy())));
    }

    private PoolPolicy.Overrides over(PoolPolicy present) {
      var before = StoredPolicy.of(present).overrides();
      var wanted = overrides();
      refuseChange("currency", currency, before.currency());
      if (present.waitingRoom() != null) {
        refuseChange("order", order, before.room().order());
        if (present.waitingRoom().order() == WaitingRoom.Order.RAFFLE) {
          refuseChange("opensAt", wanted.room().opensAt(), before.room().opensAt());
        }
      }
      return wanted.over(before);
    }

    private static void refuseChange(
        String field, @Nullable Object wanted, @Nullable Object present) {
      if (wanted != null && !wanted.equals(present)) {
        throw InvalidField.of("policy." + field, "cannot be changed");
      }
    }

    private PoolPolicy.Overrides overrides() {
      return new PoolPolicy.Overrides(
          leaseSeconds,
          windowSeconds,
          heartbeatSeconds,
          maxItemsPerHold,
          maxHoldsPerRequester,
          idempotencyWindowSeconds,
          currency,
          requireNonce,
          waitingRoom,
          new WaitingRoom.Fields(
              admissionsPerMinute, maxInside, graceSeconds, passSeconds, order, opening()),
          new PoolPolicy.ReversalTerms.Fields(compensate, refundFeeCents, refundWithinSeconds),
          commitWindowSeconds,
          maxItemsPerRequester);
    }

    private @Nullable Instant opening() {
      if (opensAt == null) {
        return null;
      }
      return Timestamp.read(opensAt)
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "opensAt must be a time such as 2030-01-01T20:00:00Z, from 1970 to 9999"));
    }
  }

  /// Refuses with `InvalidField` a pool that is not allowed.
  ///
  /// @param slowestRetry the shortest allowed idempotency window
  /// @param clock is asked for auctions only
  static PoolRequest read(JsonFields fields, Duration slowestRetry, Supplier<Instant> clock) {
    var body = READER.read(fields);
    var kind = PoolKind.valueOf(body.kind);
    refuseOtherKind(kind, body);
    var items = items(body.items == null ? List.of() : body.items);
    var wanted = body.policy;
    var policy =
        checked(
            slowestRetry,
            () ->
                PoolPolicy.of(
                    kind, wanted == null ? PoolPolicy.Overrides.NONE : wanted.overrides()));
    var name = new PoolName(body.pool);
    if (kind == PoolKind.AUCTION) {
      return auction(name, policy, body, clock.get());
    }
    var price =
        kind == PoolKind.STOCK && body.priceCents == null ? Long.valueOf(0) : body.priceCents;
    var pool = Pool.fresh(name, kind, policy, items.size(), body.capacity, price);
    return new PoolRequest(pool, items);
  }

  private static void refuseOtherKind(PoolKind kind, NewPool body) {
    refuseUnless(kind == PoolKind.SEATS, "items", body.items, true);
    refuseUnless(kind == PoolKind.STOCK, "capacity", body.capacity, true);
    refuseUnless(kind == PoolKind.STOCK, "priceCents", body.priceCents, false);
    refuseUnless(kind == PoolKind.AUCTION, "closesAt", body.closesAt, true);
    refuseUnless(kind == PoolKind.AUCTION, "reserveCents", body.reserveCents, true);
  }

  private static PoolRequest auction(PoolName name, PoolPolicy policy, NewPool body, Instant now) {
    Instant closesAt;
    try {
      closesAt = OffsetDateTime.parse(body.closesAt).toInstant();
    } catch (DateTimeParseException e) {
      throw InvalidField.of("closesAt", "has to be a time such as 2030-01-31T18:00:00Z");
    }
    if (!closesAt.isAfter(now) || closesAt.isAfter(now.plus(AuctionTerms.LONGEST))) {
      throw InvalidField.of("closesAt", "has to lie in the future, at most a year ahead");
    }
    if (policy.requireNonce()) {
      throw InvalidField.of("policy.requireNonce", "is not allowed in an auction");
    }
    var terms = new AuctionTerms(closesAt, body.reserveCents);
    return new PoolRequest(Pool.freshAuction(name, policy, terms), List.of(CatalogueItem.LOT));
  }

  private static void refuseUnless(
      boolean isOfKind, String field, @Nullable Object value, boolean isRequired) {
    if (isOfKind && isRequired && value == null) {
      throw InvalidField.of(field, "is missing");
    }
    if (!isOfKind && value != null) {
      throw InvalidField.of(field, "does not belong to a pool of this kind");
    }
  }

  /// The items in their order. Refuses with `InvalidField` a name that is repeated.
  public static List<CatalogueItem> items(List<NewItem> wanted) {
    var items = new ArrayList<CatalogueItem>(wanted.size());
    var names = new HashSet<String>(2 * wanted.size());
    for (var item : wanted) {
      if (!names.add(item.item)) {
        throw InvalidField.of("items[" + items.size() + "].item", "repeats an earlier one");
      }
      items.add(item(item));
    }
    return items;
  }

  private static CatalogueItem item(NewItem wanted) {
    return new CatalogueItem(
        new ItemId(wanted.item),
        wanted.section,
        wanted.row,
        wanted.number,
        wanted.x,
        wanted.y,
        wanted.priceCents == null ? 0 : wanted.priceCents);
  }

  private static PoolPolicy checked(Duration slowestRetry, Supplier<PoolPolicy> made) {
    PoolPolicy policy;
    try {
      policy = made.get();
    } catch (IllegalArgumentException e) { // its message begins with the name of the field
      var sentence = e.getMessage();
      throw new InvalidField(
          "policy." + sentence.substring(0, sentence.indexOf(' ')),
          "In the policy, " + sentence + ".");
    }
    refuseShorter(policy.idempotencyWindow(), slowestRetry, "policy.idempotencyWindowSeconds");
    refuseShorter(policy.commitWindow(), slowestRetry, "policy.commitWindowSeconds");
    return policy;
  }

  private static void refuseShorter(Duration window, Duration slowestRetry, String field) {
    if (window.compareTo(slowestRetry) < 0) {
      throw new InvalidField(
          field,
          "A retry may arrive after %d s here, so no idempotency window is shorter."
              .formatted(slowestRetry.toSeconds()));
    }
  }
}
