package io.holdfast.hold;

import io.holdfast.hold.SeedOutcome.Open;
import io.holdfast.hold.SeedOutcome.Seeding;
import io.holdfast.hold.SeedOutcome.Superseded;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.Script;
import io.holdfast.redis.Scripts;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletionStage;

/// The scripts of `redis-scripts/pool/`, one method each. Ends with the outcome, or with
/// `RedisUnavailable`; every call may be repeated as it is, as the script's *Replay* line says.
@Singleton
final class PoolScripts {
  private static final Script SEED = Script.named("pool/seed");

  private final Scripts scripts;

  PoolScripts(Scripts scripts) {
    this.scripts = scripts;
  }

  CompletionStage<SeedOutcome> seed(PoolName pool, PoolKind kind, Epoch epoch) {
    var keys = new String[] {pool.key("meta")};
    return scripts
        .call(SEED, keys, epoch.toString(), kind.name())
        .thenApply(PoolScripts::seedOutcome);
  }

  private static SeedOutcome seedOutcome(List<Object> reply) {
    return switch ((String) reply.getFirst()) {
      case "SEEDING" -> new Seeding();
      case "OPEN" -> new Open();
      case "SUPERSEDED" -> new Superseded(new Epoch(Long.parseLong((String) reply.get(1))));
      default -> throw new IllegalStateException("pool/seed answered " + reply);
    };
  }
}
