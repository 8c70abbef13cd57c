package io.holdfast.hold;

import io.holdfast.journal.Overtaken;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Catalogue;
import jakarta.inject.Singleton;

/// Opens a new epoch of a pool that goes on in Redis under a number which is no longer the newest.
@Singleton
final class CatchingUp implements Overtaken {
  private static final String CAUSE = "BEHIND";

  private final Catalogue catalogue;
  private final Seeding seeding;

  CatchingUp(Catalogue catalogue, Seeding seeding) {
    this.catalogue = catalogue;
    this.seeding = seeding;
  }

  @Override
  public void isBehind(PoolName pool) {
    catalogue.find(pool).ifPresent(found -> seeding.open(found, CAUSE));
  }
}
