package io.holdfast.seeding;

import io.holdfast.catalogue.Catalogue;
import io.holdfast.journal.StaleEpochListener;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;

/// Opens a new epoch of a pool that goes on in Redis under a number which is no longer the newest.
@Singleton
final class StaleEpochReseeder implements StaleEpochListener {
  private static final String CAUSE = "BEHIND";

  private final Catalogue catalogue;
  private final PoolSeeder seeding;

  StaleEpochReseeder(Catalogue catalogue, PoolSeeder seeding) {
    this.catalogue = catalogue;
    this.seeding = seeding;
  }

  @Override
  public void onStaleEpoch(PoolName pool) {
    catalogue.find(pool).ifPresent(found -> seeding.open(found, CAUSE));
  }
}
