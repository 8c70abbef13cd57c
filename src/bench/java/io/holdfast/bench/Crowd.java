package io.holdfast.bench;

import java.time.Duration;

/// Many live holds, placed by the script itself because the way through the service would take
/// minutes. It goes no faster than the journal is drained, and leaves Redis at rest.
final class Crowd {
  private static final long STEP = 10_000;
  private static final long LAG_MAX = 20_000;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private Crowd() {}

  static void fill(Stage stage, long count) {
    var raw = stage.rawHolds();
    try (var redis = stage.redis()) {
      var before = stage.bytesWithoutJournal(redis);
      for (long placed = 0; placed < count; placed += STEP) {
        stage.measureRaw(raw, Math.min(STEP, count - placed));
        Waiting.until(PATIENCE, "the journal is shorter", () -> stage.journalLag() <= LAG_MAX);
      }
      stage.drain();
      Waiting.until(
          PATIENCE,
          "the append-only file is rewritten",
          () -> redis.info("persistence", "aof_rewrite_in_progress") == 0);
      var bytes = stage.bytesWithoutJournal(redis) - before;
      Progress.say("%,d live holds, %d bytes each", count, bytes / count);
    }
  }
}
