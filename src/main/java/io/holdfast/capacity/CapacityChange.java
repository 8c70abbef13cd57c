package io.holdfast.capacity;

import io.holdfast.commitment.ItemStateQuery;
import io.holdfast.commitment.StockCapacity;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.seeding.ItemEntries;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolScripts.Limit;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Changes the capacity of a stock in three steps. Redis first limits what it grants, so that no
/// hold is placed above a lower capacity. Postgres then decides, and Redis takes its value and
/// lifts the limit. If the process dies in between or Postgres does not answer, the reconciler
/// gives Redis the value of Postgres, and the limit lapses.
@Singleton
final class CapacityChange {
  private static final Logger LOG = LoggerFactory.getLogger(CapacityChange.class);

  private final PoolScripts scripts;
  private final PoolSeeder seeder;
  private final ItemStateQuery states;
  private final IdempotencyStore results;
  private final IdempotencyHttp http;

  CapacityChange(
      PoolScripts scripts,
      PoolSeeder seeder,
      ItemStateQuery states,
      IdempotencyStore results,
      IdempotencyHttp http) {
    this.scripts = scripts;
    this.seeder = seeder;
    this.states = states;
    this.results = results;
    this.http = http;
  }

  @Serdeable
  @Schema(name = "PoolChanged")
  record Changed(String pool, String kind, long capacity, long sold) {}

  IdempotentResult change(IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> body) {
    var before = results.find(call);
    if (before.isPresent()) {
      return before.get();
    }
    try {
      return change(call, pool, capacity(pool, body));
    } catch (InvalidField e) {
      return results.once(call, _ -> http.stored(e.problem()));
    }
  }

  private static long capacity(Pool pool, Map<String, @Nullable Object> body) {
    var change = CapacityController.Change.READER.read(JsonFields.of(body));
    if (pool.kind() != PoolKind.STOCK) {
      throw InvalidField.of("capacity", "is allowed for pools of the kind STOCK only");
    }
    return change.capacity();
  }

  private IdempotentResult change(IdempotentRouteCall call, Pool pool, long capacity) {
    var inUse = limit(pool, capacity);
    var result =
        results.once(
            call,
            transaction ->
                inUse.isPresent()
                    ? http.stored(inUse(inUse.get()))
                    : change(transaction, pool, capacity));
    if (inUse.isEmpty()) {
      tellRedis(pool.name());
    }
    return result;
  }

  /// Returns the units that are held or sold, if these are more.
  private Optional<Long> limit(Pool pool, long capacity) {
    var limited = scripts.limit(pool.name(), capacity);
    if (limited instanceof Limit.NotOpen(var why)) {
      ScriptReplies.await(seeder.open(pool, why));
      limited = scripts.limit(pool.name(), capacity);
    }
    return switch (limited) {
      case Limit.InUse(var units) -> Optional.of(units);
      case Limit.Limited() -> Optional.empty();
      case Limit.NotOpen(var why) ->
          throw RedisUnavailable.notSent(new IllegalStateException("the pool is not open: " + why));
    };
  }

  /// Sales that Redis does not know yet may need more than the new capacity.
  private Answer change(Transaction transaction, Pool pool, long capacity) {
    var changed = StockCapacity.change(transaction, pool.name(), capacity);
    return changed.isEmpty()
        ? http.stored(inUse(null))
        : http.stored(
            HttpStatus.OK,
            new Changed(pool.name().value(), pool.kind().name(), capacity, changed.get().sold()));
  }

  /// Redis gets the value that Postgres has now, whether or not it was changed.
  private void tellRedis(PoolName pool) {
    try {
      var level = states.page(pool, ItemStateQuery.BEFORE_FIRST, 1).getFirst().state();
      scripts.compare(pool, ItemEntries.of(List.of(level)));
      scripts.lift(pool);
    } catch (RedisUnavailable | PostgresUnavailable e) {
      LOG.info("Redis has not got the capacity of pool {} yet; the reconciler brings it", pool);
    }
  }

  private static Problem inUse(@Nullable Long units) {
    return Problem.refused(
        HttpStatus.CONFLICT,
        "capacity-in-use",
        (units == null ? "More units" : units + " units")
            + " are held or sold. Nothing was changed; choose a capacity that is not smaller.");
  }
}
