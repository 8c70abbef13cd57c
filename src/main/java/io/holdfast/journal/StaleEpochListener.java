package io.holdfast.journal;

import io.holdfast.pool.PoolName;

/// Whoever can begin a new epoch. Somebody took a number for one and died before Redis heard of it,
/// or an old server is back: nothing that Redis says in its epoch can be stored any more.
public interface StaleEpochListener {

  /// Is told again and again for as long as it lasts. May fail with `PostgresUnavailable`.
  void onStaleEpoch(PoolName pool);
}
