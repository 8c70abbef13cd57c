package io.holdfast.bench;

import java.time.Duration;
import java.util.List;

/// Many live holds, placed by the script itself because the way through the service would take
/// minutes. It goes no faster than the journal is drained.
final class Crowd {
  private static final long STEP = 10_000;
  private static final long LAG_MAX = 20_000;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /// A hold of one item is two keys, when its token has lapsed; and some belong to the pools.
  private static final long KEYS_A_HOLD = 2;

  private static final long KEYS_OF_POOLS = 1_000;
  private static final String SCAN_STEP = "500";

  private Crowd() {}

  static void fill(Stage stage, long count) {
    var raw = stage.rawHolds();
    try (var redis = stage.redis()) {
      var before = stage.bytesWithoutJournal(redis);
      for (long placed = 0; placed < count; placed += STEP) {
        stage.measureRaw(raw, Math.min(STEP, count - placed));
        Waiting.until(PATIENCE, "the journal is shorter", () -> stage.journalLag(redis) <= LAG_MAX);
      }
      stage.drain();
      var bytes = stage.bytesWithoutJournal(redis) - before;
      Progress.say("%,d live holds, %d bytes each", count, bytes / count);
    }
  }

  /// Waits until the tokens have lapsed, and has the append-only file rewritten, so that Redis does
  /// neither while it is measured.
  static void settle(Stage stage, long count) {
    try (var redis = stage.redis()) {
      var keysMax = KEYS_A_HOLD * count + KEYS_OF_POOLS;
      Waiting.until(PATIENCE, "the tokens are gone", () -> keysMet(redis) <= keysMax);
      Waiting.until(PATIENCE, "no rewriting is under way", () -> isAtRest(redis));
      redis.ask("BGREWRITEAOF");
      Waiting.until(PATIENCE, "the append-only file is rewritten", () -> isAtRest(redis));
    }
  }

  /// How many keys are left when all were met: Redis removes by itself what has lapsed, but hurries
  /// only while that is more than a tenth; what it meets it removes at once.
  private static long keysMet(RedisWire redis) {
    var cursor = "0";
    do {
      var part = (List<?>) redis.ask("SCAN", cursor, "COUNT", SCAN_STEP);
      cursor = String.valueOf(part.getFirst());
    } while (!cursor.equals("0"));
    return (Long) redis.ask("DBSIZE");
  }

  private static boolean isAtRest(RedisWire redis) {
    return redis.info("persistence", "aof_rewrite_in_progress") == 0
        && redis.info("persistence", "aof_rewrite_scheduled") == 0;
  }
}
