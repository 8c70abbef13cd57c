package io.holdfast.catalogue;

import io.holdfast.pool.Pool;

/// Is called after this instance has learned of a change of a pool, its own or another one's. It
/// must not fail.
public interface PoolChangedListener {
  void changed(Pool pool);
}
