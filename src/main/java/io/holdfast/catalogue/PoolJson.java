package io.holdfast.catalogue;

import static com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolPolicy;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A pool in responses.
///
/// @param items the number of items
/// @param capacity the number of units of a pool of the kind STOCK
/// @param epoch the number of times that the pool was loaded into an empty Redis
@Serdeable
@Schema(name = "Pool")
public record PoolJson(
    String pool,
    String kind,
    int items,
    @JsonInclude(NON_NULL) @Nullable Long capacity,
    @JsonInclude(NON_NULL) @Nullable Long priceCents,
    PolicyView policy,
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
      long sold) {}

  @Serdeable
  @Schema(name = "PoolPolicy")
  record PolicyView(
      long leaseSeconds,
      long windowSeconds,
      long heartbeatSeconds,
      int maxItemsPerHold,
      int maxHoldsPerRequester,
      long idempotencyWindowSeconds,
      String currency,
      boolean requireNonce,
      boolean waitingRoom) {

    static PolicyView of(PoolPolicy policy) {
      return new PolicyView(
          policy.lease().toSeconds(),
          policy.window().toSeconds(),
          policy.heartbeat().toSeconds(),
          policy.maxItemsPerHold(),
          policy.maxHoldsPerRequester(),
          policy.idempotencyWindow().toSeconds(),
          policy.currency(),
          policy.requireNonce(),
          policy.waitingRoom());
    }
  }

  public static PoolJson of(Pool pool, PoolCounts counted) {
    var counts = new Counts(counted.free(pool), counted.held(), counted.sold());
    return new PoolJson(
        pool.name().value(),
        pool.kind().name(),
        pool.itemCount(),
        counted.capacity(),
        pool.priceCents(),
        PolicyView.of(pool.policy()),
        counts,
        counted.epoch());
  }
}
