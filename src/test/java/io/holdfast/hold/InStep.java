package io.holdfast.hold;

import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.holdfast.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Scripts whose calls wait until they are let through, and whose replies wait until all of them
/// are there: so all callers are under way at the same time, in the same order each time.
final class InStep implements Scripts {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Scripts scripts;
  private List<Call> waiting = new ArrayList<>();
  private int calls;

  InStep(Scripts scripts) {
    this.scripts = scripts;
  }

  @Override
  public CompletionStage<List<Object>> call(Script script, String[] keys, String... others) {
    var call = new Call(script, keys, others, new CompletableFuture<>());
    synchronized (this) {
      waiting.add(call);
    }
    return call.reply;
  }

  @Override
  public boolean isSerial() {
    return true;
  }

  @Override
  public Instant now() {
    return scripts.now();
  }

  int calls() {
    return calls;
  }

  /// Begins when so many wait.
  void letThrough(int callers) {
    Await.until(PATIENCE, () -> waiting() == callers);
    for (var step = step(); !step.isEmpty(); step = step()) {
      calls += step.size();
      var replies = step.stream().map(this::run).toList();
      for (var i = 0; i < replies.size(); i++) {
        step.get(i).reply.complete(replies.get(i));
      }
    }
  }

  private synchronized int waiting() {
    return waiting.size();
  }

  private synchronized List<Call> step() {
    var step = waiting;
    waiting = new ArrayList<>();
    return step;
  }

  private List<Object> run(Call call) {
    return scripts.call(call.script, call.keys, call.others).toCompletableFuture().join();
  }

  private record Call(
      Script script, String[] keys, String[] others, CompletableFuture<List<Object>> reply) {}
}
