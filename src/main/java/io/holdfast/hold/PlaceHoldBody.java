package io.holdfast.hold;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Metadata;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of a request for a hold. It names items, a number of adjacent seats, or a quantity.
@Introspected
@Schema(name = "PlaceHold")
public record PlaceHoldBody(
    @Size(min = 1, max = 128)
        @Schema(description = "Whom the hold is for: 1 to 128 bytes of UTF-8.")
        String requester,
    @Size(min = 1)
        @Schema(
            description =
                "The items to hold, all of them or none. The pool's maxItemsPerHold limits them.")
        @Nullable List<String> items,
    @Min(1)
        @Schema(
            description =
                "Instead of items, in a pool of the kind STOCK: how many units to hold, at most"
                    + " maxItemsPerHold.")
        @Nullable Integer quantity,
    @Min(1)
        @Schema(
            description =
                "Instead of items: how many adjacent seats to hold, at most maxItemsPerHold.")
        @Nullable Integer bestAvailable,
    @Size(min = 1, max = 128)
        @Schema(description = "With bestAvailable: the section to search. Default: all sections.")
        @Nullable String section,
    @Min(1)
        @Schema(
            description =
                "How long the hold lasts without a heartbeat, at most the pool's windowSeconds."
                    + " Default: the pool's leaseSeconds.")
        @Nullable Long leaseSeconds,
    @Size(max = 20)
        @Schema(
            description =
                "Stored with the hold and shown with it: names with texts of any characters, 2,048"
                    + " bytes in all.")
        @Nullable Map<String, String> metadata) {
  private static final BodyReader<PlaceHoldBody> READER = BodyReader.of(PlaceHoldBody.class);

  /// The same items or the same quantity as a hold that has ended.
  public static PlaceHoldBody again(HoldRecord hold, Duration lease) {
    var items =
        hold.quantity() == null
            ? hold.items().stream().map(ItemId::value).toList()
            : List.<String>of();
    return new PlaceHoldBody(
        hold.requester(),
        items,
        hold.quantity(),
        null,
        null,
        lease.toSeconds(),
        Metadata.parse(hold.metadata()));
  }

  /// Refuses with `InvalidField` what the pool does not allow. The result has a list of items,
  /// which is empty for adjacent seats and for a quantity, and a lease.
  static PlaceHoldBody read(JsonFields fields, Pool pool) {
    var policy = pool.policy();
    fields.refuseLongerList("items", policy.maxItemsPerHold());
    var body = READER.read(fields);
    body.refuseOtherKind(pool.kind());
    body.refuseUnless(policy);
    return new PlaceHoldBody(
        body.requester,
        body.items == null ? List.of() : body.items,
        body.quantity,
        body.bestAvailable,
        body.section,
        body.leaseSeconds == null ? policy.lease().toSeconds() : body.leaseSeconds,
        body.metadata);
  }

  /// The number of adjacent seats, or 0 if the body names items.
  public int best() {
    return bestAvailable == null ? 0 : bestAvailable;
  }

  public Duration lease() {
    return Duration.ofSeconds(leaseSeconds);
  }

  private void refuseOtherKind(PoolKind kind) {
    switch (kind) {
      case SEATS -> refuse("quantity", quantity, "is allowed for pools of the kind STOCK only");
      case STOCK -> {
        refuse("items", items, "is not allowed: this pool has no items; send a quantity");
        refuse("bestAvailable", bestAvailable, "is not allowed: this pool has no seats");
        if (quantity == null) {
          throw InvalidField.of("quantity", "is missing");
        }
      }
      case UNIQUE ->
          throw new InvalidField(
              null, "The values of this pool are reserved by POST /v1/reservations.");
      case AUCTION ->
          throw new InvalidField(
              null, "Bids for this lot are placed by POST /v1/pools/{pool}/bids.");
    }
  }

  private static void refuse(String field, @Nullable Object value, String why) {
    if (value != null) {
      throw InvalidField.of(field, why);
    }
  }

  private void refuseUnless(PoolPolicy policy) {
    var most = policy.maxItemsPerHold();
    if (quantity != null && quantity > most) {
      throw InvalidField.of("quantity", "has to be a whole number from 1 to " + most);
    }
    if (bestAvailable == null && items == null && quantity == null) {
      throw InvalidField.of("items", "is missing; send items or bestAvailable");
    }
    if (bestAvailable != null && items != null) {
      throw InvalidField.of("bestAvailable", "excludes items; send one of both");
    }
    if (bestAvailable != null && bestAvailable > most) {
      throw InvalidField.of("bestAvailable", "has to be a whole number from 1 to " + most);
    }
    if (bestAvailable == null && section != null) {
      throw InvalidField.of("section", "is allowed with bestAvailable only");
    }
    var longest = policy.window().toSeconds();
    if (leaseSeconds != null && leaseSeconds > longest) {
      throw InvalidField.of("leaseSeconds", "has to be a whole number from 1 to " + longest);
    }
  }
}
