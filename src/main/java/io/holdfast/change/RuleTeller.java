package io.holdfast.change;

import io.holdfast.catalogue.PoolChangedListener;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.seeding.PoolScripts;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells Redis the rules of changed pools, until Redis has answered. Every instance does: the one
/// that has changed a pool may have died before.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class RuleTeller implements StartupTask, PoolChangedListener {
  private static final Logger LOG = LoggerFactory.getLogger(RuleTeller.class);
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final PoolScripts scripts;
  private final PoolRegistry pools;
  private final PeriodicTasks tasks;
  private final Set<PoolName> untold = ConcurrentHashMap.newKeySet();

  RuleTeller(PoolScripts scripts, PoolRegistry pools, PeriodicTasks tasks) {
    this.scripts = scripts;
    this.pools = pools;
    this.tasks = tasks;
  }

  /// The last change before the start may not be in Redis.
  @Override
  public void atStart() {
    pools.names().stream()
        .flatMap(name -> pools.find(name).stream())
        .filter(pool -> pool.version() > 0)
        .forEach(pool -> untold.add(pool.name()));
    tasks.every("pool-rules", PAUSE, this::tellAgain).start();
  }

  @Override
  public void changed(Pool pool) {
    untold.add(pool.name());
    tell(pool);
  }

  private void tellAgain() {
    untold.stream().flatMap(name -> pools.find(name).stream()).forEach(this::tell);
  }

  /// Any answer will do: a seeding that begins later reads the rules anew.
  private void tell(Pool pool) {
    try {
      scripts.rules(pool);
      untold.remove(pool.name());
    } catch (RedisUnavailable e) {
      LOG.info("Redis has not got the rules of pool {} yet; it is told again", pool.name());
    }
  }
}
