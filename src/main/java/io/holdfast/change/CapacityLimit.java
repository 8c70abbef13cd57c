package io.holdfast.change;

import io.holdfast.commitment.ItemStateQuery;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.InstanceId;
import io.holdfast.seeding.ItemEntries;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolScripts.Limit;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What Redis does for a change of the capacity of a stock: it first limits what it grants, so that
/// no hold is placed above a lower capacity. Postgres then decides, and Redis takes its value and
/// lifts the limit. Of concurrent changes each has its own limit. If the process dies in between or
/// Postgres does not answer, the reconciler gives Redis the value of Postgres, and the limit
/// lapses.
@Singleton
final class CapacityLimit {
  private static final Logger LOG = LoggerFactory.getLogger(CapacityLimit.class);

  private final PoolScripts scripts;
  private final PoolSeeder seeder;
  private final ItemStateQuery states;
  private final String self;
  private final AtomicLong limits = new AtomicLong();

  CapacityLimit(
      PoolScripts scripts, PoolSeeder seeder, ItemStateQuery states, InstanceId instance) {
    this.scripts = scripts;
    this.seeder = seeder;
    this.states = states;
    this.self = instance.name();
  }

  /// The owner of the limit of one change.
  String nextOwner() {
    return self + "-" + limits.incrementAndGet();
  }

  /// Returns the units that are held or sold, if these are more.
  Optional<Long> limit(Pool pool, String owner, long capacity) {
    var limited = scripts.limit(pool.name(), owner, capacity);
    if (limited instanceof Limit.NotOpen(var why)) {
      ScriptReplies.await(seeder.open(pool, why));
      limited = scripts.limit(pool.name(), owner, capacity);
    }
    return switch (limited) {
      case Limit.InUse(var units) -> Optional.of(units);
      case Limit.Limited() -> Optional.empty();
      case Limit.NotOpen(var why) ->
          throw RedisUnavailable.notSent(new IllegalStateException("the pool is not open: " + why));
    };
  }

  /// Redis gets the value that Postgres has now, whether or not it was changed.
  void lift(PoolName pool, String owner) {
    try {
      var level = states.page(pool, ItemStateQuery.BEFORE_FIRST, 1).getFirst().state();
      scripts.compare(pool, ItemEntries.of(List.of(level)));
      scripts.lift(pool, owner);
    } catch (RedisUnavailable | PostgresUnavailable e) {
      LOG.info("Redis has not got the capacity of pool {} yet; the reconciler brings it", pool);
    }
  }
}
