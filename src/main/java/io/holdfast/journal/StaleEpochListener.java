package io.holdfast.journal;

import io.holdfast.pool.PoolName;

/// Begins a new epoch for a pool whose epoch in Redis is older than in Postgres. Either a seeding
/// died after it raised the epoch, or an old Redis server is back. Nothing that Redis does in a
/// stale epoch can be stored.
public interface StaleEpochListener {

  /// Called repeatedly while the epoch is stale. May throw `PostgresUnavailable`.
  void onStaleEpoch(PoolName pool);
}
