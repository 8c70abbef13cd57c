package io.holdfast.hold;

import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletionStage;

/// The scripts of `redis-scripts/pool/`, one method each. Ends with the reply, or with
/// `IntentUnavailable`; every call may be repeated as it is, as the script's *Replay* line says.
@Singleton
final class PoolScripts {
  private static final Script SEED = Script.named("pool/seed");
  private static final Script LOAD = Script.named("pool/load");
  private static final Script SURVIVORS = Script.named("pool/survivors");
  private static final Script KEEP = Script.named("pool/keep");
  private static final Script RESTORE = Script.named("pool/restore");
  private static final Script RECALL = Script.named("pool/recall");
  private static final Script OPEN = Script.named("pool/open");
  private static final Script HELD = Script.named("pool/held");
  private static final Script COUNT = Script.named("pool/count");
  private static final Script COMPARE = Script.named("pool/compare");

  private final Scripts scripts;

  PoolScripts(Scripts scripts) {
    this.scripts = scripts;
  }

  CompletionStage<List<Object>> seed(Pool pool, Epoch epoch, long drainedMs, String cause) {
    var name = pool.name();
    var keys = keys(name, "meta", "journal");
    var kind = pool.kind().name();
    return scripts.call(SEED, keys, epoch.toString(), kind, Long.toString(drainedMs), cause);
  }

  /// @param entries item and value by turns
  CompletionStage<List<Object>> load(PoolName pool, Epoch epoch, List<String> entries) {
    return scripts.call(LOAD, keys(pool, "meta"), arguments(epoch, entries));
  }

  CompletionStage<List<Object>> survivors(PoolName pool, Epoch epoch, int from, int to) {
    var range = List.of(Integer.toString(from), Integer.toString(to));
    return scripts.call(SURVIVORS, keys(pool, "meta", "due"), arguments(epoch, range));
  }

  /// @param verdicts fence and KEEP or DROP by turns
  CompletionStage<List<Object>> keep(PoolName pool, Epoch epoch, List<String> verdicts) {
    return scripts.call(KEEP, keys(pool, "meta", "counted"), arguments(epoch, verdicts));
  }

  CompletionStage<List<Object>> restore(PoolName pool, Epoch epoch, List<String> records) {
    return scripts.call(RESTORE, keys(pool, "meta", "journal"), arguments(epoch, records));
  }

  /// @param tokens the suffixes of their keys
  /// @param entries for each of them its value and the milliseconds that are left
  CompletionStage<List<Object>> recall(
      PoolName pool, Epoch epoch, List<String> tokens, List<String> entries) {
    var keys = new String[1 + tokens.size()];
    keys[0] = pool.key("meta");
    for (var i = 0; i < tokens.size(); i++) {
      keys[1 + i] = pool.key(tokens.get(i));
    }
    return scripts.call(RECALL, keys, arguments(epoch, entries));
  }

  CompletionStage<List<Object>> open(PoolName pool, Epoch epoch) {
    return scripts.call(OPEN, keys(pool, "meta", "journal"), epoch.toString());
  }

  CompletionStage<List<Object>> held(PoolName pool, int from, int to) {
    return scripts.call(
        HELD, keys(pool, "meta", "due"), Integer.toString(from), Integer.toString(to));
  }

  CompletionStage<List<Object>> count(PoolName pool) {
    return scripts.call(COUNT, keys(pool, "meta"));
  }

  /// @param entries item and value by turns
  CompletionStage<List<Object>> compare(PoolName pool, List<String> entries) {
    return scripts.call(COMPARE, keys(pool, "meta"), entries.toArray(String[]::new));
  }

  private static String[] keys(PoolName pool, String... suffixes) {
    var keys = new String[suffixes.length];
    for (var i = 0; i < suffixes.length; i++) {
      keys[i] = pool.key(suffixes[i]);
    }
    return keys;
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
