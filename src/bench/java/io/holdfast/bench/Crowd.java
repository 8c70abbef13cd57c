package io.holdfast.bench;

import java.time.Duration;
import java.util.List;

/// Many live holds. They are placed by the script itself, because placing them through the service
/// would take minutes, and no faster than the journal is drained.
final class Crowd {
  private static final long STEP = 10_000;
  private static final long LAG_MAX = 20_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String TOKENS = "{p:*}:tok:*";
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
  static void settle(Stage stage) {
    try (var redis = stage.redis()) {
      Waiting.until(PATIENCE, "the tokens are gone", () -> !hasTokens(redis));
      Waiting.until(PATIENCE, "no rewriting is under way", () -> isAtRest(redis));
      redis.ask("BGREWRITEAOF");
      Waiting.until(PATIENCE, "the append-only file is rewritten", () -> isAtRest(redis));
    }
  }

  /// Looks at all keys, also behind the first token: Redis removes at once what it meets and has
  /// lapsed, and by itself it does so slowly.
  private static boolean hasTokens(RedisWire redis) {
    var cursor = "0";
    var found = false;
    do {
      var part = (List<?>) redis.ask("SCAN", cursor, "COUNT", SCAN_STEP, "MATCH", TOKENS);
      cursor = String.valueOf(part.getFirst());
      found |= !((List<?>) part.get(1)).isEmpty();
    } while (!cursor.equals("0"));
    return found;
  }

  private static boolean isAtRest(RedisWire redis) {
    return redis.info("persistence", "aof_rewrite_in_progress") == 0
        && redis.info("persistence", "aof_rewrite_scheduled") == 0;
  }
}
