package io.holdfast.catalogue;

import io.holdfast.access.Caller;
import io.holdfast.access.Scope;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;

/// The pools of unique values, one for each type. An operator's first use of a type creates its
/// pool; other callers cannot fill the service with pools.
@Singleton
public final class UniquePools {
  private final PoolRegistry pools;
  private final Catalogue catalogue;
  private final PoolCreatedListener listener;

  UniquePools(PoolRegistry pools, Catalogue catalogue, PoolCreatedListener listener) {
    this.pools = pools;
    this.catalogue = catalogue;
    this.listener = listener;
  }

  /// Empty if there is no such pool and the caller may not create it. May block.
  public Optional<Pool> findOrCreate(PoolName name, Caller caller) {
    var found = pools.find(name);
    return found.isPresent() || !caller.may(Scope.OPERATE)
        ? found
        : Optional.of(create(name, caller));
  }

  /// Another call may create it at the same time.
  private Pool create(PoolName name, Caller caller) {
    var policy = PoolPolicy.of(PoolKind.UNIQUE);
    var pool = Pool.fresh(name, PoolKind.UNIQUE, policy, 0, null, null);
    return switch (catalogue.create(pool, List.of(), caller.name())) {
      case CreateOutcome.Created() -> {
        pools.learn(pool);
        listener.created(pool);
        yield pool;
      }
      case CreateOutcome.Same(var present) -> present;
      case CreateOutcome.Different() -> pools.find(name).orElseThrow();
    };
  }
}
