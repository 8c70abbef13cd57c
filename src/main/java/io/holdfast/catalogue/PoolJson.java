package io.holdfast.catalogue;

import static com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.web.Timestamp;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A pool in responses.
///
/// @param items the number of items
/// @param capacity the number of units of a pool of the kind STOCK
/// @param salesFrom no hold is placed before; null for no limit
/// @param salesUntil no hold is placed from then on; null for no limit
/// @param closed whether the sale is stopped
/// @param epoch the number of times that the pool was loaded into an empty Redis
@Serdeable
@Schema(name = "Pool")
public record PoolJson(
    String pool,
    String kind,
    int items,
    @JsonInclude(NON_NULL) @Nullable Long capacity,
    @JsonInclude(NON_NULL) @Nullable Long priceCents,
    @JsonInclude(NON_NULL) @Nullable Auction auction,
    PolicyView policy,
    @Nullable String salesFrom,
    @Nullable String salesUntil,
    boolean closed,
    Counts counts,
    long epoch) {

  /// A pool that was just created.
  @Serdeable
  @Schema(name = "PoolCreated")
  record Created(
      String pool,
      String kind,
      int items,
      @JsonInclude(NON_NULL) @Nullable Long capacity,
      long epoch) {
    static Created of(Pool pool) {
      return new Created(
          pool.name().value(),
          pool.kind().name(),
          pool.itemCount(),
          pool.capacity(),
          pool.epoch().value());
    }
  }

  /// A pool in a list.
  @Serdeable
  @Schema(name = "PoolSummary")
  record Brief(String pool, String kind, int items, PolicyView policy, long epoch) {
    static Brief of(Pool pool) {
      return new Brief(
          pool.name().value(),
          pool.kind().name(),
          pool.itemCount(),
          PolicyView.of(pool.policy()),
          pool.epoch().value());
    }
  }

  @Serdeable
  @Schema(name = "Pools")
  record Page(List<Brief> pools) {}

  @Serdeable
  @Schema(name = "ItemCounts")
  record Counts(
      @Schema(description = "Null for a pool of values, which has no end.") @Nullable Long free,
      long held,
      long sold,
      @Schema(description = "Items that are out of sale.") long blocked) {}

  @Serdeable
  @Schema(name = "PoolPolicy")
  public record PolicyView(
      long leaseSeconds,
      long windowSeconds,
      long heartbeatSeconds,
      int maxItemsPerHold,
      int maxHoldsPerRequester,
      long idempotencyWindowSeconds,
      long commitWindowSeconds,
      String currency,
      boolean requireNonce,
      boolean waitingRoom,
      @JsonInclude(NON_NULL) @Nullable Integer admissionsPerMinute,
      @JsonInclude(NON_NULL) @Nullable Integer maxInside,
      @JsonInclude(NON_NULL) @Nullable Long graceSeconds,
      @JsonInclude(NON_NULL) @Nullable Long passSeconds,
      @JsonInclude(NON_NULL) @Nullable String order,
      @JsonInclude(NON_NULL) @Nullable String opensAt,
      PoolPolicy.ReversalTerms.Compensate compensate,
      @JsonInclude(NON_NULL) @Nullable Integer maxItemsPerRequester,
      long refundFeeCents,
      @JsonInclude(NON_NULL) @Nullable Long refundWithinSeconds) {

    public static PolicyView of(PoolPolicy policy) {
      var stored = StoredPolicy.of(policy);
      return new PolicyView(
          policy.lease().toSeconds(),
          policy.window().toSeconds(),
          policy.heartbeat().toSeconds(),
          policy.maxItemsPerHold(),
          policy.maxHoldsPerRequester(),
          policy.idempotencyWindow().toSeconds(),
          policy.commitWindow().toSeconds(),
          policy.currency(),
          policy.requireNonce(),
          policy.waitingRoom() != null,
          stored.admissionsPerMinute(),
          stored.maxInside(),
          stored.graceSeconds(),
          stored.passSeconds(),
          stored.order(),
          stored.opensAt() == null ? null : Timestamp.of(Instant.parse(stored.opensAt())),
          policy.reversal().compensate(),
          policy.maxItemsPerRequester(),
          policy.reversal().refundFeeCents(),
          stored.refundWithinSeconds());
    }
  }

  /// @param winningBid the id of the bid that has won; null before the close, and without a sale
  @Serdeable
  @Schema(name = "PoolAuction")
  public record Auction(
      String closesAt,
      long reserveCents,
      State state,
      @Nullable String closedAt,
      @Nullable String winningBid,
      @Nullable Long winningCents) {

    @Schema(name = "AuctionState")
    public enum State {
      OPEN,
      /// No more bids are taken; the winner is not decided yet.
      CLOSING,
      CLOSED
    }
  }

  /// @param auction of a pool of the kind AUCTION; null for the others
  public static PoolJson of(Pool pool, PoolCounts counted, @Nullable Auction auction) {
    var counts = new Counts(counted.free(pool), counted.held(), counted.sold(), counted.blocked());
    return new PoolJson(
        pool.name().value(),
        pool.kind().name(),
        pool.itemCount(),
        counted.capacity(),
        pool.priceCents(),
        auction,
        PolicyView.of(pool.policy()),
        time(pool.sales().from()),
        time(pool.sales().until()),
        pool.sales().isClosed(),
        counts,
        counted.epoch());
  }

  private static @Nullable String time(@Nullable Instant moment) {
    return moment == null ? null : Timestamp.of(moment);
  }
}
