package io.holdfast.catalogue;

import io.holdfast.pool.Pool;

/// Is told of a pool that this instance has just created, after the commit.
public interface PoolCreatedListener {
  void created(Pool pool);
}
