package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// One item as its pool offers it: where it is, and what it costs.
///
/// @param x where a map draws it, in units of the pool's own choosing; so is `y`
public record CatalogueItem(
    ItemId item,
    @Nullable String section,
    @Nullable String row,
    @Nullable Integer number,
    @Nullable Double x,
    @Nullable Double y,
    long priceCents) {

  /// The lot of an auction. Its price is the winner's bid.
  public static final CatalogueItem LOT =
      new CatalogueItem(AuctionTerms.LOT, null, null, null, null, null, 0);

  public CatalogueItem {
    if (priceCents < 0) {
      throw new IllegalArgumentException(
          "priceCents of item %s must not be negative, was %d".formatted(item, priceCents));
    }
  }
}
