package io.holdfast.bench;

import io.holdfast.load.Requests;
import java.time.Duration;

/// What a live hold of one item takes up in Redis, with its token, its requester's entry and its
/// share of all tables: used memory after many holds less used memory before them, when the
/// catalogue was there already, and both less the streams of the journal.
final class MemoryPart {
  private static final long HOLDS = 50_000;
  private static final Duration TOKENS_LIVE = Duration.ofSeconds(60);

  private MemoryPart() {}

  static double bytesAHold(Stage stage, Requests raw) {
    var start = System.nanoTime();
    try (var redis = stage.redis()) {
      var before = stage.bytesWithoutJournal(redis);
      stage.measureRaw(raw, HOLDS);
      stage.drain();
      var after = stage.bytesWithoutJournal(redis);
      if (System.nanoTime() - start > TOKENS_LIVE.toNanos()) {
        throw new IllegalStateException("the first tokens are gone before memory was measured");
      }
      return (double) (after - before) / HOLDS;
    }
  }
}
