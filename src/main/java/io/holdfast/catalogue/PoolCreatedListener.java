package io.holdfast.catalogue;

import io.holdfast.pool.Pool;

/// Is called after this instance has committed a new pool.
public interface PoolCreatedListener {
  void created(Pool pool);
}
