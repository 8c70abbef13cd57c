package io.holdfast.seeding;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletionStage;

/// Calls the scripts of `redis-scripts/pool/`, one method each. A call ends with the reply or with
/// `RedisUnavailable`. Every call may be repeated, as the *Replay* line of its script says.
@Singleton
public final class PoolScripts {
  private static final Script SEED = Script.named("pool/seed");
  private static final Script LOAD = Script.named("pool/load");
  private static final Script SURVIVORS = Script.named("pool/survivors");
  private static final Script RECOUNT = Script.named("pool/recount");
  private static final Script RESTORE = Script.named("pool/restore");
  private static final Script RESTORE_TOKENS = Script.named("pool/restore-tokens");
  private static final Script OPEN = Script.named("pool/open");
  private static final Script HELD = Script.named("pool/held");
  private static final Script COUNT = Script.named("pool/count");
  private static final Script COMPARE = Script.named("pool/compare");
  private static final Script STATUS = Script.named("pool/status");

  private final RedisScripts scripts;

  public PoolScripts(RedisScripts scripts) {
    this.scripts = scripts;
  }

  CompletionStage<List<String>> seed(Pool pool, Epoch epoch, long drainedMs, String cause) {
    return scripts.call(
        SEED,
        pool.name(),
        epoch.toString(),
        pool.kind().name(),
        Long.toString(drainedMs),
        cause,
        Long.toString(pool.policy().idempotencyWindow().toMillis()));
  }

  /// @param entries item and value by turns
  CompletionStage<List<String>> load(PoolName pool, Epoch epoch, List<String> entries) {
    return scripts.call(LOAD, pool, arguments(epoch, entries));
  }

  CompletionStage<List<String>> survivors(PoolName pool, Epoch epoch, int from, int to) {
    var range = List.of(Integer.toString(from), Integer.toString(to));
    return scripts.call(SURVIVORS, pool, arguments(epoch, range));
  }

  /// @param verdicts fence and KEEP or DROP by turns
  CompletionStage<List<String>> recount(PoolName pool, Epoch epoch, List<String> verdicts) {
    return scripts.call(RECOUNT, pool, arguments(epoch, verdicts));
  }

  CompletionStage<List<String>> restore(PoolName pool, Epoch epoch, List<String> records) {
    return scripts.call(RESTORE, pool, arguments(epoch, records));
  }

  /// @param entries caller, token, value and the end of its window, in ms, by turns
  CompletionStage<List<String>> restoreTokens(PoolName pool, Epoch epoch, List<String> entries) {
    return scripts.call(RESTORE_TOKENS, pool, arguments(epoch, entries));
  }

  CompletionStage<List<String>> open(PoolName pool, Epoch epoch) {
    return scripts.call(OPEN, pool, epoch.toString());
  }

  public CompletionStage<List<String>> held(PoolName pool, int from, int to) {
    return scripts.call(HELD, pool, Integer.toString(from), Integer.toString(to));
  }

  public CompletionStage<List<String>> count(PoolName pool) {
    return scripts.call(COUNT, pool);
  }

  CompletionStage<List<String>> status(PoolName pool) {
    return scripts.call(STATUS, pool);
  }

  /// @param entries item and value by turns
  CompletionStage<List<String>> compare(PoolName pool, List<String> entries) {
    return scripts.call(COMPARE, pool, entries.toArray(String[]::new));
  }

  private static String[] arguments(Epoch epoch, List<String> others) {
    var arguments = new String[1 + others.size()];
    arguments[0] = epoch.toString();
    for (var i = 0; i < others.size(); i++) {
      arguments[1 + i] = others.get(i);
    }
    return arguments;
  }
}
