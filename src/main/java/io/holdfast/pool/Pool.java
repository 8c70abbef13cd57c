package io.holdfast.pool;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A pool of items and its rules.
///
/// @param capacity how many units a pool of the kind STOCK had when it was created; null for the
///   others
/// @param priceCents what a unit costs; null for pools without units
/// @param auction the terms of a pool of the kind AUCTION; null for the others
/// @param epoch when the pool was read; 1 for a new pool
/// @param version the number of changes since the pool was created
public record Pool(
    PoolName name,
    PoolKind kind,
    PoolPolicy policy,
    int itemCount,
    @Nullable Long capacity,
    @Nullable Long priceCents,
    @Nullable AuctionTerms auction,
    Epoch epoch,
    SalesTimes sales,
    long version) {

  public Pool {
    if ((kind == PoolKind.AUCTION) != (auction != null)) {
      throw new IllegalArgumentException("exactly the pools of the kind AUCTION have terms");
    }
  }

  /// The same pool after a change of its row in Postgres.
  public Pool at(long newVersion) {
    return new Pool(
        name, kind, policy, itemCount, capacity, priceCents, auction, epoch, sales, newVersion);
  }

  /// The same pool with other rules.
  public Pool with(PoolPolicy newPolicy, SalesTimes newSales, @Nullable Long newPrice) {
    return new Pool(
        name, kind, newPolicy, itemCount, capacity, newPrice, auction, epoch, newSales, version);
  }

  /// The same pool with this many items more.
  public Pool withMore(int added) {
    return new Pool(
        name,
        kind,
        policy,
        itemCount + added,
        capacity,
        priceCents,
        auction,
        epoch,
        sales,
        version);
  }

  /// A pool that is to be created.
  public static Pool fresh(
      PoolName name,
      PoolKind kind,
      PoolPolicy policy,
      int itemCount,
      @Nullable Long capacity,
      @Nullable Long priceCents) {
    return new Pool(
        name,
        kind,
        policy,
        itemCount,
        capacity,
        priceCents,
        null,
        new Epoch(1),
        SalesTimes.ALWAYS,
        0);
  }

  /// An auction that is to be created.
  public static Pool freshAuction(PoolName name, PoolPolicy policy, AuctionTerms terms) {
    return new Pool(
        name, PoolKind.AUCTION, policy, 1, null, null, terms, new Epoch(1), SalesTimes.ALWAYS, 0);
  }

  /// When a pool takes holds. Redis' clock decides. Holds that were placed in time stay as they
  /// are.
  ///
  /// @param from null for no limit
  /// @param until null for no limit
  /// @param isClosed whether the operator has stopped the sale, whatever the times are
  public record SalesTimes(@Nullable Instant from, @Nullable Instant until, boolean isClosed) {
    public static final SalesTimes ALWAYS = new SalesTimes(null, null, false);
    private static final long NEVER_MS = 9_007_199_254_740_991L;

    public SalesTimes {
      refuseBefore1970("salesFrom", from);
      refuseBefore1970("salesUntil", until);
      if (from != null && until != null && !from.isBefore(until)) {
        throw new IllegalArgumentException("salesUntil has to be later than salesFrom");
      }
    }

    /// The scripts read milliseconds since 1970 without a sign.
    private static void refuseBefore1970(String field, @Nullable Instant time) {
      if (time != null && time.isBefore(Instant.EPOCH)) {
        throw new IllegalArgumentException(field + " must not lie before 1970, was " + time);
      }
    }

    private long fromMs() {
      return from == null ? 0 : from.toEpochMilli();
    }

    private long untilMs() {
      return isClosed ? 0 : until == null ? NEVER_MS : until.toEpochMilli();
    }
  }

  /// The rules that the scripts in Redis apply, as `meta` stores them: the version of the pool,
  /// from when to when it takes holds, in ms, and how many items a requester may have. Empty for a
  /// pool that has no such rules and was never changed.
  public String rules() {
    var most = policy.maxItemsPerRequester();
    return version == 0 && most == null
        ? ""
        : "%d\t%d\t%d\t%s"
            .formatted(
                version, sales.fromMs(), sales.untilMs(), most == null ? "" : most.toString());
  }
}
