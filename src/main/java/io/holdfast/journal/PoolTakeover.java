package io.holdfast.journal;

import io.holdfast.pool.PoolName;

/// Opens pools that Redis still has from before a restart or a failover. Nobody may have used them
/// since, and no script touches a pool that is not open. May throw `RedisUnavailable`.
public interface PoolTakeover {

  /// The state of a pool in Redis.
  enum Taken {
    OPEN,
    /// Redis has nothing of the pool.
    LOST,
    /// It could not be opened; a later call tries again.
    NOT_NOW
  }

  /// Waits a bounded time for the pool to be open.
  Taken takeOver(PoolName pool);
}
