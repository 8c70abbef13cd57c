package io.holdfast.seeding;

import io.holdfast.catalogue.Catalogue;
import io.holdfast.journal.PoolTakeover;
import io.holdfast.pool.PoolName;
import io.holdfast.seeding.PoolScripts.Count;
import jakarta.inject.Singleton;

/// Opens pools whose data have survived in Redis.
@Singleton
final class SurvivingPools implements PoolTakeover {
  private static final String LOST = "LOST";

  private final PoolScripts scripts;
  private final Catalogue catalogue;
  private final PoolSeeder seeder;

  SurvivingPools(PoolScripts scripts, Catalogue catalogue, PoolSeeder seeder) {
    this.scripts = scripts;
    this.catalogue = catalogue;
    this.seeder = seeder;
  }

  @Override
  public Taken takeOver(PoolName pool) {
    return switch (ScriptReplies.await(scripts.count(pool))) {
      case Count.Counts _ -> Taken.OPEN;
      case Count.NotOpen(var why) -> why.equals(LOST) ? Taken.LOST : open(pool, why);
    };
  }

  private Taken open(PoolName name, String why) {
    var isOpen =
        catalogue.find(name).map(pool -> seeder.open(pool, why).toCompletableFuture().join());
    return isOpen.orElse(false) ? Taken.OPEN : Taken.NOT_NOW;
  }
}
