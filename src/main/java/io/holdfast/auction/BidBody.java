package io.holdfast.auction;

import io.holdfast.pool.AuctionTerms;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;

/// The body of a bid.
@Introspected
@Schema(name = "PlaceBid")
record BidBody(
    @Size(min = 1, max = 128) @Schema(description = "Who bids: 1 to 128 bytes of UTF-8.")
        String requester,
    @Min(1)
        @Max(AuctionTerms.CENTS_MAX)
        @Schema(description = "What the requester offers, not less than its own live bid.")
        long amountCents) {
  private static final BodyReader<BidBody> READER = BodyReader.of(BidBody.class);

  /// Refuses with `InvalidField` a bid in a pool of another kind.
  static BidBody read(JsonFields fields, Pool pool) {
    if (pool.kind() != PoolKind.AUCTION) {
      throw new InvalidField(null, "Bids are placed in pools of the kind AUCTION only.");
    }
    return READER.read(fields);
  }
}
