package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// A pool of items and its rules.
///
/// @param capacity how many units a pool of the kind STOCK had when it was created; null for the
///   others
/// @param priceCents what a unit costs; null for pools without units
/// @param auction the terms of a pool of the kind AUCTION; null for the others
/// @param epoch when the pool was read; 1 for a new pool
public record Pool(
    PoolName name,
    PoolKind kind,
    PoolPolicy policy,
    int itemCount,
    @Nullable Long capacity,
    @Nullable Long priceCents,
    @Nullable AuctionTerms auction,
    Epoch epoch) {

  public Pool {
    if ((kind == PoolKind.AUCTION) != (auction != null)) {
      throw new IllegalArgumentException("exactly the pools of the kind AUCTION have terms");
    }
  }

  /// A pool that is to be created.
  public static Pool fresh(
      PoolName name,
      PoolKind kind,
      PoolPolicy policy,
      int itemCount,
      @Nullable Long capacity,
      @Nullable Long priceCents) {
    return new Pool(name, kind, policy, itemCount, capacity, priceCents, null, new Epoch(1));
  }

  /// An auction that is to be created.
  public static Pool freshAuction(PoolName name, PoolPolicy policy, AuctionTerms terms) {
    return new Pool(name, PoolKind.AUCTION, policy, 1, null, null, terms, new Epoch(1));
  }
}
