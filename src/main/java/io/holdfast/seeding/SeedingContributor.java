package io.holdfast.seeding;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;

/// Loads what a feature has in Redis into an epoch that is being seeded, from Postgres.
public interface SeedingContributor {
  /// Called after the journal was drained and before the epoch is opened. May be repeated.
  void load(Pool pool, Epoch epoch);
}
