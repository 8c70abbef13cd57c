package io.holdfast.seeding;

import io.holdfast.catalogue.Catalogue;
import io.holdfast.journal.StaleEpochListener;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;

/// Opens a new epoch of a pool whose epoch in Redis is older than the one in Postgres.
@Singleton
final class StaleEpochReseeder implements StaleEpochListener {
  private static final String CAUSE = "BEHIND";

  private final Catalogue catalogue;
  private final PoolSeeder seeder;

  StaleEpochReseeder(Catalogue catalogue, PoolSeeder seeder) {
    this.catalogue = catalogue;
    this.seeder = seeder;
  }

  @Override
  public void onStaleEpoch(PoolName pool) {
    catalogue.find(pool).ifPresent(found -> seeder.open(found, CAUSE));
  }
}
