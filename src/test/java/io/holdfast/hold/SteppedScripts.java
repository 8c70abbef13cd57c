package io.holdfast.hold;

import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.holdfast.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Redis scripts whose batches wait until the test releases them, so that all callers are in flight
/// at once. Counts the calls of `hold/best` and the seats that they return.
final class SteppedScripts extends RedisScripts {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int HEADER = 4;
  private static final int TEXTS = 12;

  /// The place of the seats among them.
  private static final int PARTS = 9;

  private List<Batch> waiting = new ArrayList<>();
  private int calls;
  private int seats;
  private int seatsOfABatch;

  SteppedScripts(RedisConnections link) {
    super(link);
  }

  @Override
  public CompletionStage<List<String>> call(Script script, String[] keys, String... others) {
    if (!script.name().equals("hold/best")) {
      return super.call(script, keys, others);
    }
    var batch = new Batch(script, keys, others, new CompletableFuture<>());
    synchronized (this) {
      waiting.add(batch);
    }
    return batch.reply;
  }

  /// Since it was last asked.
  int calls() {
    var counted = calls;
    calls = 0;
    return counted;
  }

  /// That all calls have shown, since it was last asked.
  int seats() {
    var counted = seats;
    seats = 0;
    return counted;
  }

  /// That one batch has shown, at most.
  int seatsOfABatch() {
    return seatsOfABatch;
  }

  /// Until these have ended.
  void letThrough(List<CompletableFuture<HoldOutcome>> ends) {
    var all = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    while (!all.isDone()) {
      Await.until(PATIENCE, () -> all.isDone() || isWaiting());
      step().forEach(this::run);
    }
    all.join();
  }

  private synchronized boolean isWaiting() {
    return !waiting.isEmpty();
  }

  private synchronized List<Batch> step() {
    var step = waiting;
    waiting = new ArrayList<>();
    return step;
  }

  private void run(Batch batch) {
    var shown = 0;
    for (var at = HEADER + PARTS; at < batch.others.length; at += TEXTS) {
      shown += (int) batch.others[at].chars().filter(c -> c == '\n').count();
      calls++;
    }
    seats += shown;
    seatsOfABatch = Math.max(seatsOfABatch, shown);
    batch.reply.complete(
        super.call(batch.script, batch.keys, batch.others).toCompletableFuture().join());
  }

  private record Batch(
      Script script, String[] keys, String[] others, CompletableFuture<List<String>> reply) {}
}
