package io.holdfast.catalogue;

import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The JSON of a pool.
///
/// @param items how many items it has
/// @param epoch the current epoch
@Serdeable
public record PoolJson(
    String pool, String kind, int items, PolicyView policy, Counts counts, long epoch) {

  /// The answer to a creation.
  @Serdeable
  record Created(String pool, String kind, int items, long epoch) {
    static Created of(Pool pool) {
      return new Created(
          pool.name().value(), pool.kind().name(), pool.itemCount(), pool.epoch().value());
    }
  }

  /// A pool in a list.
  @Serdeable
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
  record Page(List<Brief> pools) {}

  @Serdeable
  record Counts(long free, long held, long sold) {}

  @Serdeable
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
    var free = pool.itemCount() - counted.held() - counted.sold();
    var counts = new Counts(free, counted.held(), counted.sold());
    return new PoolJson(
        pool.name().value(),
        pool.kind().name(),
        pool.itemCount(),
        PolicyView.of(pool.policy()),
        counts,
        counted.epoch());
  }

  @Introspected
  @Schema(name = "NewPool")
  record NewPool(String pool, PoolKind kind, List<NewItem> items, @Nullable PolicyView policy) {}

  @Introspected
  @Schema(name = "NewItem")
  record NewItem(
      String item,
      @Nullable String section,
      @Nullable String row,
      @Nullable Integer number,
      @Nullable Double x,
      @Nullable Double y,
      @Nullable Long priceCents) {}
}
