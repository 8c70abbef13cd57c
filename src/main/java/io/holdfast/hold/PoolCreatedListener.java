package io.holdfast.hold;

import io.holdfast.pool.Pool;

/// Is told of a pool that this instance has just created, after the commit.
interface PoolCreatedListener {
  void created(Pool pool);
}
